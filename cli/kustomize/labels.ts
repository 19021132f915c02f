import type { JsonObject } from '../../server/json/json-value.ts';
import { joined, podTemplates, visitObjects } from './paths.ts';
import { kindOf, type Resource, text, typeOf } from './resource.ts';

/** Where labels go beside the object itself. */
export interface LabelPlaces {
  readonly selectors: boolean;
  readonly templates: boolean;
}

const MATCHED = ['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'];
const TERM = 'podAffinityTerm/labelSelector/matchLabels';
const preferred = `preferredDuringSchedulingIgnoredDuringExecution/${TERM}`;
const required = 'requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels';

/** Selectors that are there already and get the labels as well. */
const PRESENT: ReadonlyMap<string, readonly string[]> = new Map([
  ['Job', ['spec/selector/matchLabels']],
  ['CronJob', ['spec/jobTemplate/spec/selector/matchLabels']],
  ['PodDisruptionBudget', ['spec/selector/matchLabels']],
  [
    'NetworkPolicy',
    ['podSelector', 'ingress/from/podSelector', 'egress/to/podSelector'].map((path) => `spec/${path}/matchLabels`),
  ],
  ...['Deployment', 'StatefulSet'].map((kind): [string, readonly string[]] => [
    kind,
    [
      ...['podAffinity', 'podAntiAffinity'].flatMap((affinity) => [
        `spec/template/spec/affinity/${affinity}/${preferred}`,
        `spec/template/spec/affinity/${affinity}/${required}`,
      ]),
      'spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels',
    ],
  ]),
]);

/** Adds labels to an object, to its templates and to its selectors. */
export function addLabels(resource: Resource, labels: JsonObject, { selectors, templates }: LabelPlaces): void {
  const add = (path: string, create = true) =>
    visitObjects(resource.object, path, (object) => void Object.assign(object, labels), create);
  const kind = kindOf(resource);
  add('metadata/labels');
  if (selectors || templates) for (const path of templatePaths(kind)) add(`${path}/metadata/labels`);
  if (!selectors) return;
  if (kind === 'Service' || kind === 'ReplicationController') add('spec/selector');
  if (MATCHED.includes(kind)) add('spec/selector/matchLabels');
  for (const path of PRESENT.get(kind) ?? []) add(path, false);
}

/** Adds labels where a file says that objects of a type have some. */
export function addLabelsAt(resource: Resource, labels: JsonObject, field: JsonObject): void {
  const type = typeOf(resource);
  const differs = (['group', 'version', 'kind'] as const).some(
    (part) => text(field[part]) !== '' && field[part] !== type[part],
  );
  if (differs) return;
  const put = (object: JsonObject) => void Object.assign(object, labels);
  visitObjects(resource.object, text(field['path']), put, field['create'] === true);
}

/** Adds annotations to an object and to its templates. */
export function addAnnotations(resource: Resource, annotations: JsonObject): void {
  for (const path of ['', ...templatePaths(kindOf(resource), false)])
    visitObjects(
      resource.object,
      joined(path, 'metadata/annotations'),
      (object) => void Object.assign(object, annotations),
      true,
    );
}

function templatePaths(kind: string, claims = true): readonly string[] {
  const paths = podTemplates(kind).filter((path) => path !== '');
  if (kind === 'CronJob') return ['spec/jobTemplate', ...paths];
  return kind === 'StatefulSet' && claims ? [...paths, 'spec/volumeClaimTemplates'] : paths;
}
