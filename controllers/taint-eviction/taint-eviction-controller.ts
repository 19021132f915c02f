import { isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { keyOf, splitKey } from '#client/informer/informer.ts';
import type { Node, Pod, Taint } from '#schema/generated/core.v1.ts';
import { timeToMilliseconds } from '#schema/values/time.ts';
import { controller, need, type Term } from '../controller.ts';
import { CONDITION_FIELDS, disruptionTarget } from '../disruption-target.ts';
import { byNode } from '../pods-of-nodes.ts';
import { serverRelease } from '../server-release.ts';
import { toleratedSeconds } from './tolerations.ts';

const WORKERS = 8;
const EVICTION = 'TaintManagerEviction';

/**
 * Deletes pods whose node has a taint that they do not tolerate, or that they have tolerated for their limit of time.
 */
export const taintEvictionController = controller({
  name: 'taint-eviction-controller',
  account: 'node-controller',
  component: 'taint-eviction-controller',
  needs: [
    need(coreV1.nodes, { fields: ['spec.taints'] }),
    need(coreV1.pods, { fields: ['spec.nodeName', 'spec.tolerations', 'status.startTime', ...CONDITION_FIELDS] }),
  ],

  start(term) {
    const { client, events, informer, queue, log, signal, now } = term;
    const nodes = informer(coreV1.nodes);
    const pods = informer(coreV1.pods);
    const evict = evictionWith(term);
    /** The pods that the controller will delete later, each with the time when it began to tolerate the taints. */
    const later = new Map<string, { readonly uid: string | undefined; readonly since: number }>();

    const cancel = (key: string, pod: Pod) => {
      if (later.delete(key)) events.normal(coreV1.pods, pod, EVICTION, `Cancelling deletion of Pod ${key}`);
    };

    const keys = queue(
      async (key) => {
        const pod = pods.get(key);
        const { nodeName } = pod?.spec ?? {};
        if (pod === undefined || pod.metadata.deletionTimestamp || !nodeName) {
          later.delete(key);
          return undefined;
        }
        const { uid } = pod.metadata;
        const taints = evictingTaints(nodes.get(nodeName));
        const seconds = toleratedSeconds(pod.spec?.tolerations, taints);
        if (taints.length === 0 || seconds === Number.POSITIVE_INFINITY) {
          cancel(key, pod);
          return undefined;
        }
        const known = later.get(key);
        const since = known !== undefined && known.uid === uid ? known.since : begin(pod, taints, now());
        const left = seconds === 0 ? 0 : since + seconds * 1000 - now();
        if (left > 0) {
          later.set(key, { uid, since });
          return { afterMs: left };
        }
        // The copy of the node may be behind. So the controller reads the node from the server before it deletes one of
        // its pods.
        const live = await client.resource(coreV1.nodes).get(nodeName).catch(unlessGone);
        const liveTaints = evictingTaints(live);
        if (live === undefined || toleratedSeconds(pod.spec?.tolerations, liveTaints) > seconds)
          return { afterMs: 1000 };
        await evict(key, pod);
        later.delete(key);
        return undefined;
      },
      { workers: WORKERS, name: 'noexec_taint_pod' },
    );

    const ofPod = (pod: Pod) => {
      const key = keyOf(pod);
      if (later.has(key) || evictingTaints(nodes.get(pod.spec?.nodeName ?? '')).length > 0) keys.add(key);
    };
    pods.on({ added: ofPod, updated: ofPod, deleted: (pod) => later.delete(keyOf(pod)) }, signal);
    const ofNode = (node: Node, before?: Node) => {
      const count = evictingTaints(node).length + evictingTaints(before).length;
      if (count === 0) return;
      for (const pod of pods.find(byNode, node.metadata.name!)) keys.add(keyOf(pod));
    };
    nodes.on({ added: (node) => ofNode(node), updated: ofNode }, signal);
    log.debug('watching the taints of nodes');
  },
});

function evictingTaints(node: Node | undefined): readonly Taint[] {
  return node?.spec?.taints?.filter(({ effect }) => effect === 'NoExecute') ?? [];
}

/**
 * The time when a pod began to tolerate the taints of its node: when the pod started, or when the last taint was added.
 * It is `now` if one of these times is unknown.
 */
function begin({ status }: Pod, taints: readonly Taint[], now: number): number {
  const times = [status?.startTime, ...taints.map(({ timeAdded }) => timeAdded)];
  return Math.min(now, Math.max(...times.map((time) => (time ? timeToMilliseconds(time) : now))));
}

function unlessGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** A function that deletes a pod with its usual grace period. Since 1.26 it first writes the reason into the pod. */
function evictionWith({ client, events, log, metrics, now }: Term): (key: string, pod: Pod) => Promise<void> {
  const release = serverRelease(client);
  const deleted = metrics.counter('taint_eviction_controller_pod_deletions_total');
  return async (key, pod) => {
    const { namespace, name } = splitKey(key);
    const { uid } = pod.metadata;
    const pods = client.resource(coreV1.pods).in(namespace);
    events.normal(coreV1.pods, pod, EVICTION, `Marking for deletion Pod ${key}`);
    try {
      const why = 'Taint manager: deleting due to NoExecute taint';
      const conditions = disruptionTarget(pod, 'DeletionByTaintManager', why, now());
      if (conditions.length > 0 && (await release()).atLeast(26))
        await pods.patch(name, 'strategic', { metadata: { uid }, status: { conditions } }, { subresource: 'status' });
      await pods.delete(name, { preconditions: { uid } });
      deleted.inc({});
      log.info({ namespace, name, node: pod.spec?.nodeName }, 'evicted a pod: it does not tolerate taints of its node');
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
}
