import { isObject, type JsonValue } from '#base/json/json-value.ts';
import { CommandError } from '../framework/errors.ts';
import { texts } from './kustomization.ts';
import { kindOf, nameIn, namespaceIn, type Resource, typeOf } from './resource.ts';

/** The kinds that other objects need come first. */
const FIRST = [
  ...['Namespace', 'ResourceQuota', 'StorageClass', 'CustomResourceDefinition', 'ServiceAccount', 'PodSecurityPolicy'],
  ...['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding', 'ConfigMap', 'Secret', 'Endpoints', 'Service'],
  ...['LimitRange', 'PriorityClass', 'PersistentVolume', 'PersistentVolumeClaim', 'Deployment', 'StatefulSet'],
  ...['CronJob', 'PodDisruptionBudget'],
];
/** The kinds that can block other objects come last. */
const LAST = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/**
 * Sorts objects as `sortOptions` requests. By default, they are in the order in which they can be created, by kind and
 * by name.
 * @throws CommandError if the options are wrong
 */
export function inOrder(resources: readonly Resource[], options: JsonValue | undefined = {}): Resource[] {
  const { order = 'legacy', legacySortOptions } = isObject(options) ? options : {};
  if (order === 'fifo' && legacySortOptions === undefined) return [...resources];
  if (order !== 'legacy')
    throw new CommandError(`sortOptions: the order ${JSON.stringify(order)} is neither legacy nor fifo`);
  const lists = isObject(legacySortOptions) ? legacySortOptions : undefined;
  const [first, last] = lists === undefined ? [FIRST, LAST] : [texts(lists, 'orderFirst'), texts(lists, 'orderLast')];
  const rank = (kind: string) => rankOf(kind, first, last);
  return [...resources].sort((a, b) => {
    const ranks = rank(kindOf(a)) - rank(kindOf(b));
    return ranks === 0 ? compared(keyOf(a), keyOf(b)) : ranks;
  });
}

/** Compares types by the order that applies to objects. */
export function compareTypes(a: Type, b: Type): number {
  const ranks = rankOf(a.kind) - rankOf(b.kind);
  return ranks === 0 ? compared(typeKey(a), typeKey(b)) : ranks;
}

type Type = ReturnType<typeof typeOf>;

function rankOf(kind: string, first: readonly string[] = FIRST, last: readonly string[] = LAST): number {
  if (last.includes(kind)) return last.indexOf(kind) + 1;
  return first.includes(kind) ? first.indexOf(kind) - first.length : 0;
}

const compared = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The core group comes after all groups that have a name. */
const typeKey = ({ group, version, kind }: Type): string => `${group || '~G'}_${version || '~V'}_${kind || '~K'}`;

/** Objects without a namespace come after all others. */
const keyOf = (one: Resource): string => [typeKey(typeOf(one)), namespaceIn(one) || '~X', nameIn(one)].join('\0');
