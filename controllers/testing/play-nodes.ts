import type { Client } from '#client/client.ts';
import { isConflict, isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { SharedInformers } from '#client/informer/shared-informers.ts';
import type { Pod } from '#schema/generated/core.v1.ts';

/** How a test simulates the nodes of a real server. */
export interface PlayedNodes {
  /** Whether a pod becomes ready; all do by default. */
  becomesReady?: (pod: Pod) => boolean;
  /** Called with all pods after each change. */
  watch?: (pods: readonly Pod[]) => void;
}

/**
 * Does the work of nodes until the signal aborts. It makes pods run and ready, and ends pods that are being deleted.
 * The test may change `how` at any time.
 */
export async function playNodes(client: Client, signal: AbortSignal, how: PlayedNodes = {}): Promise<void> {
  const informers = new SharedInformers(client);
  const pods = informers.of(coreV1.pods, { fields: ['spec', 'status'] });
  const acting = new Set<string>();
  const act = async (pod: Pod) => {
    const { namespace, name = '', uid, deletionTimestamp } = pod.metadata;
    const live = client.resource(coreV1.pods).in(namespace);
    const ready = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
    if (acting.has(uid!) || pod.metadata.finalizers?.length) return;
    acting.add(uid!);
    try {
      if (deletionTimestamp) await live.delete(name, { preconditions: { uid }, gracePeriodSeconds: 0 });
      else if (!ready && pod.status?.phase !== 'Failed' && how.becomesReady?.(pod) !== false) {
        const time = new Date().toISOString();
        const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: time }];
        const status = { phase: 'Running', conditions };
        await live.patch(name, 'strategic', { metadata: { uid }, status } as never, { subresource: 'status' });
      }
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error) && !signal.aborted) throw error;
    } finally {
      acting.delete(uid!);
    }
  };
  const changed = (pod: Pod) => {
    how.watch?.([...pods.all()]);
    void act(pods.get(`${pod.metadata.namespace}/${pod.metadata.name}`) ?? pod);
  };
  pods.on({ added: changed, updated: changed, deleted: () => how.watch?.([...pods.all()]) }, signal);
  informers.start(signal);
  await informers.ready();
}
