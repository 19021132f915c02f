import type { DiscoveredType } from '#client/discovery/discovered.ts';
import type { ResourceClient } from '#client/resource-client.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Invocation } from '../command-line/command.ts';
import type { Session } from '../connection/session.ts';
import { CommandError } from '../framework/errors.ts';
import { explainMissing } from '../resources/found.ts';
import { unknownType } from '../resources/selection.ts';
import { follow } from './follow.ts';

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: string[];
  }[];
}

/** The form of the pod selector of a kind, by its group and name. */
const SELECTED_BY: ReadonlyMap<string, 'labels' | 'selector'> = new Map([
  ['/ReplicationController', 'labels'],
  ['/Service', 'labels'],
  ['apps/DaemonSet', 'selector'],
  ['apps/Deployment', 'selector'],
  ['apps/ReplicaSet', 'selector'],
  ['apps/StatefulSet', 'selector'],
  ['batch/Job', 'selector'],
]);

/** An object that a word names, which is `NAME` of a pod or `TYPE/NAME`. */
export interface Named {
  readonly object: ApiObject;
  readonly group: string;
}

/** @throws CommandError if the word does not name an object, ApiError if the object does not exist */
export async function namedObject(session: Session, word: string): Promise<Named> {
  const parts = word.split('/');
  if (parts.length > 2) throw new CommandError('arguments in resource/name form may not have more than one slash');
  const [typeWord, name] = parts.length === 1 ? ['pods', word] : (parts as [string, string]);
  if (parts.length > 1 && (typeWord === '' || name === ''))
    throw new CommandError('arguments in resource/name form must have a single resource and name');
  const type = await session.typeNamed(typeWord!);
  if (type === undefined) throw unknownType(typeWord!, (await session.discovered()).preferred());
  const client = await session.client();
  const namespace = type.namespaced ? session.namespace : undefined;
  const { requestTimeoutMs: timeoutMs } = session.settings;
  const object = await client
    .resource(type)
    .in(namespace)
    .get(name!, { timeoutMs })
    .catch((error: unknown) => explainMissing(client, { type, namespace, name }, error));
  return { object: { ...object, kind: type.kind }, group: type.group };
}

/**
 * The labels that select the pods of an object.
 * @throws CommandError if it has none, with the impossible action `doing`
 */
export function podSelectorOf({ object, group }: Named, doing: string): string {
  const kind = object.kind ?? '';
  const how = SELECTED_BY.get(`${group}/${kind}`);
  const version = (object.apiVersion ?? '').split('/').at(-1);
  const typeName = `*${version}.${kind}`;
  if (how === undefined)
    throw new CommandError(`cannot ${doing} ${typeName}: selector for ${typeName} not implemented`);
  const { selector } = (object['spec'] ?? {}) as { selector?: unknown };
  const given = how === 'labels' ? { matchLabels: (selector ?? {}) as Record<string, string> } : (selector as Selector);
  const text = selectorText(given ?? {});
  if (text === '' && kind === 'Service')
    throw new CommandError(
      `cannot ${doing} ${typeName}: invalid service '${object.metadata.name}': Service is defined without a selector`,
    );
  return text;
}

function selectorText({ matchLabels = {}, matchExpressions = [] }: Selector): string {
  return [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      if (operator === 'Exists') return key;
      if (operator === 'DoesNotExist') return `!${key}`;
      return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
    }),
  ].join(',');
}

/** The type of pods. @throws CommandError if the server does not have it */
export async function podType(session: Session): Promise<DiscoveredType> {
  const type = await session.typeOf('v1', 'Pod');
  if (type === undefined) throw new CommandError('the server has no pods');
  return type;
}

/** The pods of the session's namespace, or of another namespace. */
export async function podsOf(session: Session, namespace = session.namespace): Promise<ResourceClient<Pod>> {
  const type = await podType(session);
  return (await session.client()).resource(type).in(namespace) as unknown as ResourceClient<Pod>;
}

/**
 * The pod with this name, or the best pod of the named object. If that object has no pod, the function waits for one.
 * @throws CommandError if no pod appears in time
 */
export async function podOf(invocation: Invocation, word: string, doing: string, timeoutMs: number): Promise<Pod> {
  const named = await namedObject(invocation.session, word);
  if (named.group === '' && named.object.kind === 'Pod') return named.object as unknown as Pod;
  return (await firstPod(invocation, podSelectorOf(named, doing), timeoutMs)).pod;
}

/**
 * The best of the pods that labels select, and the number of these pods.
 * @throws CommandError if no pod appears in time
 */
export async function firstPod(
  invocation: Invocation,
  labelSelector: string,
  timeoutMs: number,
): Promise<{ readonly pod: Pod; readonly count: number }> {
  const { session } = invocation;
  const pods = { type: await podType(session), namespace: session.namespace, labelSelector };
  const first = await follow(invocation, pods, timeoutMs, {
    list: (items) => {
      const [pod] = (items as unknown as Pod[]).toSorted(betterFirst);
      return pod && { pod, count: items.length };
    },
    event: ({ type, object }) =>
      type === 'ADDED' || type === 'MODIFIED' ? { pod: object as unknown as Pod, count: 1 } : undefined,
  });
  if (first === undefined) throw new CommandError('timed out waiting for the condition');
  return first;
}

const PHASES = ['Running', 'Unknown', 'Pending'];

/** The order of pods: assigned pods first, then running pods, ready pods, pods with few restarts, and old pods. */
function betterFirst(a: Pod, b: Pod): number {
  const ranks = [a, b].map(({ spec, status, metadata }) => {
    const ready = status?.conditions?.find(({ type, status: is }) => type === 'Ready' && is === 'True');
    const restarts = (status?.containerStatuses ?? []).map(({ restartCount = 0 }) => restartCount);
    return [
      spec?.nodeName ? 0 : 1,
      PHASES.indexOf(status?.phase ?? '') >= 0 ? PHASES.indexOf(status!.phase!) : PHASES.length,
      ready === undefined ? 1 : 0,
      Date.parse(String(ready?.lastTransitionTime ?? '')) || 0,
      Math.max(0, ...restarts),
      Date.parse(String(metadata.creationTimestamp ?? '')) || 0,
    ];
  });
  const at = ranks[0]!.findIndex((rank, n) => rank !== ranks[1]![n]);
  return at < 0 ? 0 : ranks[0]![at]! - ranks[1]![at]!;
}
