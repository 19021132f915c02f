import type { JsonObject, JsonValue } from '../../server/json/json-value.ts';
import { joined, podTemplates, visitObjects } from './paths.ts';
import { isCalled, kindOf, nameIn, namespaceIn, type Resource, text } from './resource.ts';

/** A field that holds the name of an object of a kind. */
interface Reference {
  readonly kind: string;
  /** To the object that has the field. */
  readonly path: string;
  readonly field: string;
}

const reference = (kind: string, path: string, field = 'name'): Reference => ({ kind, path, field });

const inContainers = ['containers', 'initContainers', 'ephemeralContainers'].flatMap((list) => [
  reference('ConfigMap', `${list}/env/valueFrom/configMapKeyRef`),
  reference('ConfigMap', `${list}/envFrom/configMapRef`),
  reference('Secret', `${list}/env/valueFrom/secretKeyRef`),
  reference('Secret', `${list}/envFrom/secretRef`),
]);

const inPods: readonly Reference[] = [
  ...inContainers,
  reference('ConfigMap', 'volumes/configMap'),
  reference('ConfigMap', 'volumes/projected/sources/configMap'),
  reference('Secret', 'volumes/secret', 'secretName'),
  reference('Secret', 'volumes/projected/sources/secret'),
  reference('Secret', 'imagePullSecrets'),
  reference('ServiceAccount', '', 'serviceAccountName'),
  reference('PersistentVolumeClaim', 'volumes/persistentVolumeClaim', 'claimName'),
  reference('PriorityClass', '', 'priorityClassName'),
];

/** Annotations of ingresses with the names of others, by the last part of their keys. */
const INGRESS_KEYS: readonly (readonly [kind: string, key: string])[] = [
  ['ConfigMap', 'nginx.ingress.kubernetes.io/fastcgi-params-configmap'],
  ['Secret', 'ingress.kubernetes.io/auth-secret'],
  ['Secret', 'nginx.ingress.kubernetes.io/auth-secret'],
  ['Secret', 'nginx.ingress.kubernetes.io/auth-tls-secret'],
];

const inKinds: ReadonlyMap<string, readonly Reference[]> = new Map([
  ['Role', ['ConfigMap', 'Secret'].map((kind) => reference(kind, 'rules', 'resourceNames'))],
  ['ClusterRole', ['ConfigMap', 'Secret', 'PersistentVolume'].map((kind) => reference(kind, 'rules', 'resourceNames'))],
  [
    'Ingress',
    [
      reference('Secret', 'spec/tls', 'secretName'),
      reference('Service', 'spec/defaultBackend/service'),
      reference('Service', 'spec/rules/http/paths/backend/service'),
      ...INGRESS_KEYS.map(([kind, key]) => reference(kind, 'metadata/annotations', key)),
    ],
  ],
  [
    'StatefulSet',
    [
      reference('Service', 'spec', 'serviceName'),
      reference('StorageClass', 'spec/volumeClaimTemplates/spec', 'storageClassName'),
    ],
  ],
  [
    'StorageClass',
    ['secretName', 'adminSecretName', 'userSecretName', 'secretRef'].map((field) =>
      reference('Secret', 'parameters', field),
    ),
  ],
  ['ServiceAccount', [reference('Secret', 'secrets'), reference('Secret', 'imagePullSecrets')]],
  [
    'PersistentVolumeClaim',
    [reference('PersistentVolume', 'spec', 'volumeName'), reference('StorageClass', 'spec', 'storageClassName')],
  ],
  [
    'PersistentVolume',
    [reference('StorageClass', 'spec', 'storageClassName'), reference('Secret', 'spec/azureFile', 'secretName')],
  ],
  ['ValidatingAdmissionPolicyBinding', [reference('ValidatingAdmissionPolicy', 'spec', 'policyName')]],
  ['APIService', [reference('Service', 'spec/service')]],
]);

/** Fields that name the kind that they mean. */
const KINDED: ReadonlyMap<string, string> = new Map([
  ['HorizontalPodAutoscaler', 'spec/scaleTargetRef'],
  ['RoleBinding', 'roleRef'],
  ['ClusterRoleBinding', 'roleRef'],
]);

/** Fields that name an object of a kind and its namespace, in objects of other kinds. */
const PLACED: ReadonlyMap<string, readonly [kind: string, path: string]> = new Map([
  ['MutatingWebhookConfiguration', ['Service', 'webhooks/clientConfig/service']],
  ['ValidatingWebhookConfiguration', ['Service', 'webhooks/clientConfig/service']],
  ['RoleBinding', ['ServiceAccount', 'subjects']],
  ['ClusterRoleBinding', ['ServiceAccount', 'subjects']],
]);

/** Has all objects call each other by their new names, and service accounts by their new namespace. */
export function followNames(resources: readonly Resource[]): void {
  for (const resource of resources) {
    const kind = kindOf(resource);
    const follow = (object: JsonObject, target: string, field: string) => {
      const renamed = (name: JsonValue) => {
        const found = meant(resources, target, text(name), namespaceIn(resource));
        return found === undefined ? name : nameIn(found);
      };
      const value = object[field];
      if (Array.isArray(value)) object[field] = value.map(renamed);
      else if (value !== undefined) object[field] = renamed(value);
    };
    const inTemplates = podTemplates(kind).flatMap((path) =>
      inPods.map((one) => ({ ...one, path: joined(path, 'spec', one.path) })),
    );
    for (const { kind: target, path, field } of [...inTemplates, ...(inKinds.get(kind) ?? [])])
      visitObjects(resource.object, path, (object) => follow(object, target, field));
    const kinded = KINDED.get(kind);
    if (kinded !== undefined)
      visitObjects(resource.object, kinded, (object) => follow(object, text(object['kind']), 'name'));
    const placed = PLACED.get(kind);
    if (placed !== undefined)
      visitObjects(resource.object, placed[1], (object) => followPlaced(resources, object, placed[0]));
  }
}

function followPlaced(resources: readonly Resource[], subject: JsonObject, kind: string): void {
  // a subject of another kind is somebody else
  if (Object.hasOwn(subject, 'kind') && subject['kind'] !== kind) return;
  const place = text(subject['namespace']);
  const found = resources.find(
    (one) =>
      kindOf(one) === kind &&
      isCalled(one, text(subject['name'])) &&
      [namespaceIn(one), ...one.namespaces].some((own) => (own || 'default') === (place || 'default')),
  );
  if (found === undefined) return;
  subject['name'] = nameIn(found);
  if (namespaceIn(found) !== '') subject['namespace'] = namespaceIn(found);
}

/** The object that a name means: rather one in the same namespace, rather one that has the name now. */
function meant(resources: readonly Resource[], kind: string, name: string, namespace: string): Resource | undefined {
  if (name === '') return undefined;
  const found = resources.filter((one) => kindOf(one) === kind && isCalled(one, name));
  const near = found.filter((one) => namespaceIn(one) === namespace);
  const candidates = near.length > 0 ? near : found;
  return candidates.find((one) => nameIn(one) === name) ?? candidates[0];
}
