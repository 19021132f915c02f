import { isNotFound } from '#client/errors.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';

/**
 * The pods to remove from a node. The messages are about pods that remain, and about pods that are removed although a
 * rule advises against it.
 */
export interface NodePods {
  readonly pods: readonly ApiObject[];
  readonly warnings: string;
}

interface Verdict {
  readonly removed: boolean;
  readonly warning?: string;
  readonly error?: string;
}

const REMOVED: Verdict = { removed: true };

/** Examines the pods of a node. @throws CommandError if the removal would lose some of them */
export async function podsToRemove(invocation: Invocation, pods: readonly ApiObject[]): Promise<NodePods> {
  const leaving: ApiObject[] = [];
  const warnings = new Map<string, string[]>();
  const errors = new Map<string, string[]>();
  const note = (notes: Map<string, string[]>, text: string | undefined, pod: ApiObject) => {
    if (text === undefined) return;
    const named = notes.get(text) ?? [];
    notes.set(text, [...named, `${pod.metadata.namespace}/${pod.metadata.name}`]);
  };
  for (const pod of pods) {
    const { removed, warning, error } = await verdictOn(invocation, pod);
    if (removed) leaving.push(pod);
    note(warnings, warning, pod);
    note(errors, error, pod);
  }
  const texts = (notes: Map<string, string[]>) => [...notes].map(([text, named]) => `${text}: ${named.join(', ')}`);
  if (errors.size > 0)
    throw new CommandError(
      texts(errors)
        .map((text) => `cannot delete ${text}`)
        .join('\n'),
      { plain: true },
    );
  return { pods: leaving, warnings: texts(warnings).join('; ') };
}

/** Whether a pod is removed. The last rule that matches applies, as in the field's clients. */
async function verdictOn(invocation: Invocation, pod: ApiObject): Promise<Verdict> {
  const { flags, session, io } = invocation;
  const { deletionTimestamp, annotations, ownerReferences, namespace } = pod.metadata;
  const patience = flags.int('skip-wait-for-delete-timeout');
  if (deletionTimestamp && patience > 0 && io.now() - Date.parse(deletionTimestamp) > patience * 1000)
    return { removed: false };
  const { phase } = (pod['status'] ?? {}) as { phase?: string };
  const finished = phase === 'Succeeded' || phase === 'Failed';
  const owner = ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.kind === 'DaemonSet' && !finished) {
    const missing = await isMissing(invocation, namespace!, owner.name);
    if (missing !== undefined && !flags.bool('force')) return { removed: false, error: missing };
    if (missing === undefined)
      return flags.bool('ignore-daemonsets')
        ? { removed: false, warning: 'ignoring DaemonSet-managed Pods' }
        : { removed: false, error: 'DaemonSet-managed Pods (use --ignore-daemonsets to ignore)' };
  }
  const mirror = (await session.naming()).key('config.mirror');
  if (annotations?.[mirror] !== undefined) return { removed: false };
  const { volumes } = (pod['spec'] ?? {}) as { volumes?: readonly object[] };
  if (finished) return REMOVED;
  const local = (volumes ?? []).some((volume) => 'emptyDir' in volume);
  if (local && !flags.bool('delete-emptydir-data'))
    return { removed: false, error: 'Pods with local storage (use --delete-emptydir-data to override)' };
  if (owner !== undefined) return REMOVED;
  return flags.bool('force')
    ? { removed: true, warning: 'deleting Pods that declare no controller' }
    : { removed: false, error: 'cannot delete Pods that declare no controller (use --force to override)' };
}

/** The error that a daemon set is missing, in the words of a server. Undefined means that it exists. */
async function isMissing({ session }: Invocation, namespace: string, name: string): Promise<string | undefined> {
  const type = await session.typeNamed('daemonsets');
  if (type === undefined) return `daemonsets.apps "${name}" not found`;
  const sets = (await session.client()).resource(type).in(namespace);
  return sets.get(name).then(
    () => undefined,
    (error: unknown) => {
      if (isNotFound(error)) return (error as Error).message;
      throw error;
    },
  );
}
