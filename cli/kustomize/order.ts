import { kindOf, nameIn, namespaceIn, type Resource, text } from './resource.ts';

/** What others need comes first. */
const FIRST = [
  ...['Namespace', 'ResourceQuota', 'StorageClass', 'CustomResourceDefinition', 'ServiceAccount', 'PodSecurityPolicy'],
  ...['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding', 'ConfigMap', 'Secret', 'Endpoints', 'Service'],
  ...['LimitRange', 'PriorityClass', 'PersistentVolume', 'PersistentVolumeClaim', 'Deployment', 'StatefulSet'],
  ...['CronJob', 'PodDisruptionBudget'],
];
/** What may stop others comes last. */
const LAST = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

function rank(kind: string): number {
  const first = FIRST.indexOf(kind);
  return first >= 0 ? first - FIRST.length : LAST.indexOf(kind) + 1;
}

/** The order in which objects can be made: by kind, then by name. */
export function inOrder(resources: readonly Resource[]): Resource[] {
  const key = (one: Resource) => [...[kindOf(one), text(one.object['apiVersion'])], ...[namespaceIn(one), nameIn(one)]];
  return [...resources].sort((a, b) => {
    const ranks = rank(kindOf(a)) - rank(kindOf(b));
    if (ranks !== 0) return ranks;
    const [one, other] = [key(a).join('\0'), key(b).join('\0')];
    return one < other ? -1 : one > other ? 1 : 0;
  });
}
