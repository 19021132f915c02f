import { isObject, type JsonValue } from '../../server/json/json-value.ts';
import { CommandError } from '../frame/errors.ts';
import { texts } from './kustomization.ts';
import { kindOf, nameIn, namespaceIn, type Resource, typeOf } from './resource.ts';

/** What others need comes first. */
const FIRST = [
  ...['Namespace', 'ResourceQuota', 'StorageClass', 'CustomResourceDefinition', 'ServiceAccount', 'PodSecurityPolicy'],
  ...['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding', 'ConfigMap', 'Secret', 'Endpoints', 'Service'],
  ...['LimitRange', 'PriorityClass', 'PersistentVolume', 'PersistentVolumeClaim', 'Deployment', 'StatefulSet'],
  ...['CronJob', 'PodDisruptionBudget'],
];
/** What may stop others comes last. */
const LAST = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/** The order that `sortOptions` ask for: by default that in which objects can be made, by kind and by name. @throws CommandError */
export function inOrder(resources: readonly Resource[], options: JsonValue | undefined = {}): Resource[] {
  const { order = 'legacy', legacySortOptions } = isObject(options) ? options : {};
  if (order === 'fifo' && legacySortOptions === undefined) return [...resources];
  if (order !== 'legacy')
    throw new CommandError(`sortOptions: the order ${JSON.stringify(order)} is neither legacy nor fifo`);
  const lists = isObject(legacySortOptions) ? legacySortOptions : undefined;
  const [first, last] = lists === undefined ? [FIRST, LAST] : [texts(lists, 'orderFirst'), texts(lists, 'orderLast')];
  const rank = (kind: string) =>
    last.includes(kind) ? last.indexOf(kind) + 1 : first.includes(kind) ? first.indexOf(kind) - first.length : 0;
  // the core and no namespace come after all that have a name
  const key = (one: Resource) => {
    const { group, version, kind } = typeOf(one);
    return [`${group || '~G'}_${version}_${kind}`, namespaceIn(one) || '~X', nameIn(one)].join('\0');
  };
  return [...resources].sort((a, b) => {
    const ranks = rank(kindOf(a)) - rank(kindOf(b));
    if (ranks !== 0) return ranks;
    const [one, other] = [key(a), key(b)];
    return one < other ? -1 : one > other ? 1 : 0;
  });
}
