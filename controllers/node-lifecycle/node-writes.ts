import { isConflict, isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import type { Node, Pod, Taint } from '#schema/generated/core.v1.ts';
import { formatTime } from '#schema/values/time.ts';
import type { Term } from '../controller.ts';
import { isReady } from '../pods/pod-state.ts';
import { changedTaints, type TaintChange } from './node-taints.ts';

const ATTEMPTS = 5;

/**
 * Changes the present taints of a node. Nodes write their status all the time, so a write with a conflict is tried
 * again at once. False if the node is gone, is another node with the same name, or already has these taints.
 */
export async function writeTaints(
  { client, log, now }: Pick<Term, 'client' | 'log' | 'now'>,
  { name, uid }: { readonly name: string; readonly uid: string | undefined },
  change: TaintChange,
): Promise<boolean> {
  const nodes = client.resource(coreV1.nodes);
  for (let attempt = 1; ; attempt++) {
    try {
      const node = await nodes.get(name);
      if (node.metadata.uid !== uid) return false;
      const taints = changedTaints(node.spec?.taints, change, now());
      if (taints === undefined) return false;
      const { resourceVersion } = node.metadata;
      await nodes.patch(name, 'merge', { metadata: { uid, resourceVersion }, spec: { taints } });
      const words = (list: readonly Taint[]) => list.map(({ key, effect }) => `${key}:${effect}`);
      log.info({ node: name, added: words(change.add), removed: words(change.remove) }, 'changed taints of a node');
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isConflict(error) || attempt >= ATTEMPTS) throw error;
    }
  }
}

/** Marks the pods of a node with these uids as not ready. Returns the uids of the pods that no longer need it. */
export async function markNotReady(
  { client, events, log, now }: Pick<Term, 'client' | 'events' | 'log' | 'now'>,
  { metadata: { name = '' } }: Node,
  uids: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const done = new Set<string>();
  // Roles of the first release allow only lists of pods, and no reads of single pods.
  const { items } = await client.resource(coreV1.pods).list({ fieldSelector: `spec.nodeName=${name}` });
  for (const pod of items) {
    const uid = pod.metadata.uid ?? '';
    if (!uids.has(uid)) continue;
    try {
      if (isReady(pod))
        await client
          .resource(coreV1.pods)
          .in(pod.metadata.namespace)
          .update(notReady(pod, now()), { subresource: 'status' });
    } catch (error) {
      if (isConflict(error)) continue;
      if (!isNotFound(error)) throw error;
    }
    done.add(uid);
    events.warn(coreV1.pods, pod, 'NodeNotReady', 'Node is not ready');
    log.info({ node: name, namespace: pod.metadata.namespace, pod: pod.metadata.name }, 'marked a pod as not ready');
  }
  for (const uid of uids) if (!items.some(({ metadata }) => metadata.uid === uid)) done.add(uid);
  return done;
}

function notReady(pod: Pod, now: number): Pod {
  const conditions = pod.status?.conditions?.map((condition) =>
    condition.type === 'Ready' ? { ...condition, status: 'False', lastTransitionTime: formatTime(now) } : condition,
  );
  return { ...pod, status: { ...pod.status, ...(conditions === undefined ? {} : { conditions }) } };
}
