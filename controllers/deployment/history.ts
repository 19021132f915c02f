import { jsonEqual } from '#base/json/json-equal.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Deployment, ReplicaSet } from '#schema/generated/apps.v1.ts';
import type { PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { withoutHash } from '../pods/template-hash.ts';

/** The largest number of characters for the earlier revisions that a set remembers. The latest revisions are kept. */
const LONGEST_HISTORY = 2000;

/** The revision of an object, of up to 64 bits; 0 if it has none. */
function revisionOf({ metadata }: { readonly metadata: ReplicaSet['metadata'] }, naming: Naming): bigint {
  const text = metadata.annotations?.[naming.key('deployment/revision')] ?? '';
  return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
}

/** A number that a replica set got in an annotation when it was scaled. */
export function annotated({ metadata }: ReplicaSet, what: 'desired' | 'max', naming: Naming): number | undefined {
  const text = metadata.annotations?.[naming.key(`deployment/${what}-replicas`)] ?? '';
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** Whether two templates make the same pods. */
function sameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return jsonEqual(comparable(a), comparable(b));
}

function comparable(template: PodTemplateSpec = {}): unknown {
  const { metadata, ...rest } = withoutHash(template);
  const { creationTimestamp: _, labels, ...others } = metadata ?? {};
  return { ...rest, metadata: { ...others, ...(Object.keys(labels ?? {}).length === 0 ? {} : { labels }) } };
}

/** The set of a deployment's present template. If there are several, it is the oldest. */
export function freshSet(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const created = ({ metadata }: ReplicaSet) => `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
  return [...sets]
    .sort((a, b) => (created(a) < created(b) ? -1 : 1))
    .find(({ spec }) => sameTemplate(spec?.template, deployment.spec?.template));
}

/** The annotations of a set about the number of pods that its deployment wants. */
export function sizeAnnotations(wanted: number, surge: number, naming: Naming): Record<string, string> {
  return {
    [naming.key('deployment/desired-replicas')]: String(wanted),
    [naming.key('deployment/max-replicas')]: String(wanted + surge),
  };
}

/**
 * The annotations of the set of the present template: those of the deployment, and its revision, which is the highest
 * of all. A set that gets a new revision remembers its earlier one.
 */
export function freshAnnotations(
  deployment: Deployment,
  fresh: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  naming: Naming,
): Record<string, string> {
  const own = new Set(
    ['revision', 'revision-history', 'desired-replicas', 'max-replicas'].map((name) =>
      naming.key(`deployment/${name}`),
    ),
  );
  own.add(naming.key('ctl/last-applied-configuration'));
  own.add('deprecated.deployment.rollback.to');
  const given = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !own.has(key));
  const annotations = { ...fresh?.metadata.annotations, ...Object.fromEntries(given) };
  const revision = naming.key('deployment/revision');
  const history = naming.key('deployment/revision-history');
  const next = old.map((set) => revisionOf(set, naming)).reduce((a, b) => (b > a ? b : a), 0n) + 1n;
  const before = annotations[revision];
  if (fresh === undefined || revisionOf(fresh, naming) < next) {
    annotations[revision] = String(next);
    if (before) annotations[history] = remembering(annotations[history], before);
  }
  return annotations;
}

function remembering(history: string | undefined, revision: string): string {
  const all = [...(history ? history.split(',') : []), revision];
  while (all.length > 1 && all.join(',').length > LONGEST_HISTORY) all.shift();
  return all.join(',');
}

/** Old sets beyond the number that a deployment keeps for an undo, the oldest first. Sets with pods are kept. */
export function superfluousSets(deployment: Deployment, old: readonly ReplicaSet[], naming: Naming): ReplicaSet[] {
  const { revisionHistoryLimit: limit } = deployment.spec ?? {};
  if (limit === undefined || limit === null) return [];
  const staying = old.filter(({ metadata }) => !metadata.deletionTimestamp);
  const created = ({ metadata }: ReplicaSet) => metadata.creationTimestamp ?? '';
  const sorted = [...staying].sort((a, b) => {
    const [left, right] = [revisionOf(a, naming), revisionOf(b, naming)];
    return left === right ? (created(a) < created(b) ? -1 : 1) : left < right ? -1 : 1;
  });
  return sorted
    .slice(0, Math.max(0, staying.length - limit))
    .filter(
      ({ metadata, spec, status }) =>
        (status?.replicas ?? 0) === 0 &&
        spec?.replicas === 0 &&
        (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0),
    );
}
