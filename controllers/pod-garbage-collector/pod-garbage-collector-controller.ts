import { isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { keyOf } from '#client/informer/informer.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { controller, need, type Term } from '../controller.ts';
import { CONDITION_FIELDS, disruptionTarget } from '../disruption-target.ts';
import { every } from '../every.ts';
import { serverRelease } from '../server-release.ts';
import { type Garbage, garbageOf, isFinished } from './garbage-of-pods.ts';

const PERIOD_MS = 20_000;
/** The time that a node must be missing before the controller asks the server for it. */
const QUARANTINE_MS = 40_000;
const WORKERS = 20;

/**
 * Deletes pods that no node will ever end: pods of nodes that are gone or out of service, pods that were deleted before
 * they had a node, and the oldest finished pods if there are very many.
 */
export const podGarbageCollector = controller({
  name: 'podgc',
  account: 'pod-garbage-collector',
  needs: [
    need(coreV1.pods, { fields: ['spec.nodeName', 'status.phase', 'status.reason', ...CONDITION_FIELDS] }),
    need(coreV1.nodes, { fields: ['spec.taints', ...CONDITION_FIELDS] }),
  ],

  start(term) {
    const { informer, queue, flags, naming, signal, now } = term;
    const pods = informer(coreV1.pods);
    const nodes = informer(coreV1.nodes);
    const threshold = flags.get('terminated-pod-gc-threshold');
    const missing = new MissingNodes(term);
    const garbage = new Map<string, Garbage>();
    const deletions = queue(
      async (key) => {
        const found = garbage.get(key);
        if (found !== undefined) await collect(found);
        garbage.delete(key);
      },
      { workers: WORKERS },
    );
    const collect = collectWith(term);

    const look = async () => {
      await missing.look(pods.all(), (name) => nodes.get(name) !== undefined, now());
      const known = { get: (name: string) => nodes.get(name), isGone: (name: string) => missing.isGone(name) };
      for (const found of garbageOf([...pods.all()], known, threshold, naming)) {
        garbage.set(keyOf(found.pod), found);
        deletions.add(keyOf(found.pod));
      }
    };
    const looks = queue(look, { name: 'orphaned_pods_nodes' });
    looks.add('all');
    every(PERIOD_MS, signal, () => looks.add('all'));
  },
});

/** The missing nodes that pods name, with the time since which each is missing, and whether the server confirmed it. */
class MissingNodes {
  readonly #term: Term;
  #since = new Map<string, number>();
  #gone = new Set<string>();

  constructor(term: Term) {
    this.#term = term;
  }

  isGone(name: string): boolean {
    return this.#gone.has(name);
  }

  async look(pods: Iterable<Pod>, isThere: (name: string) => boolean, now: number): Promise<void> {
    const since = new Map<string, number>();
    for (const { spec } of pods)
      if (spec?.nodeName && !isThere(spec.nodeName)) since.set(spec.nodeName, this.#since.get(spec.nodeName) ?? now);
    this.#since = since;
    const gone = new Set<string>();
    for (const [name, first] of since) {
      if (now - first < QUARANTINE_MS) continue;
      try {
        await this.#term.client.resource(coreV1.nodes).get(name);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        gone.add(name);
      }
    }
    this.#gone = gone;
  }
}

/**
 * A function that deletes a pod at once. Since 1.26 it first marks the pod as failed, so that clients that wait for the
 * pod's end see an end.
 */
function collectWith({ client, log, metrics, now }: Term): (garbage: Garbage) => Promise<void> {
  const release = serverRelease(client);
  const deleted = metrics.counter('pod_gc_collector_force_delete_pods_total');
  return async ({ pod, reason }) => {
    const { namespace, name = '', uid } = pod.metadata;
    const pods = client.resource(coreV1.pods).in(namespace);
    try {
      if (!isFinished(pod) && (await release()).atLeast(26)) {
        const message = 'PodGC: node no longer exists';
        const conditions = reason === 'orphaned' ? disruptionTarget(pod, 'DeletionByPodGC', message, now()) : [];
        const status = { phase: 'Failed', ...(conditions.length === 0 ? {} : { conditions }) };
        await pods.patch(name, 'strategic', { metadata: { uid }, status }, { subresource: 'status' });
      }
      await pods.delete(name, { preconditions: { uid }, gracePeriodSeconds: 0 });
      deleted.inc({ reason });
      log.info({ namespace, name, reason }, 'deleted a pod at once');
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
}
