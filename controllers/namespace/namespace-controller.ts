import { isNotFound } from '../../client/errors.ts';
import { coreV1 } from '../../client/generated/resources.ts';
import type { Namespace } from '../../server/schema/generated/core.v1.ts';
import { controller, need } from '../controller.ts';
import { every } from '../every.ts';
import { conditionsOf } from './conditions.ts';
import { removeContent } from './remove-content.ts';

/** The wait after a pass that left something, which doubles up to the longest. */
const FIRST_LOOK_MS = 500;
const LONGEST_LOOK_MS = 10_000;

/**
 * Empties namespaces that are being deleted, in passes, until nothing is left in them, and lets them go then by taking
 * its own finalizer off. What stays, and why, is told in the namespace's conditions.
 */
export const namespaceController = controller({
  name: 'namespace',
  account: 'namespace-controller',
  // Removing a namespace takes a request for every type, used or not.
  rate: 20,
  needs: [need(coreV1.namespaces, { fields: ['status.phase'] })],

  start({ client, informer, queue, discovery, flags, naming, log, signal, now }) {
    const copies = informer(coreV1.namespaces);
    const namespaces = client.resource(coreV1.namespaces);
    /** Passes that left something, by the uid of the namespace, with the moment since which it is known to be going. */
    const going = new Map<string, { since: number; passes: number }>();

    const names = queue(
      async (name) => {
        if (!copies.get(name)?.metadata.deletionTimestamp) return;
        const namespace = await namespaces.get(name).catch((error) => {
          if (isNotFound(error)) return undefined;
          throw error;
        });
        const { uid = '', deletionTimestamp } = namespace?.metadata ?? {};
        if (namespace === undefined || !deletionTimestamp) return;
        if (!namespace.spec?.finalizers?.includes(naming.product)) return;
        // Types that came later can have no objects in it.
        const work = going.get(uid) ?? { since: performance.now(), passes: 0 };
        going.set(uid, work);
        const left = await removeContent(client, await discovery.since(work.since), name);
        const { failures, remaining, undiscovered } = left;
        if (failures.length === 0 && remaining.size === 0 && undiscovered.length === 0) {
          await letGo(namespace);
          going.delete(uid);
          log.info({ namespace: name, uid, passes: work.passes + 1 }, 'removed its content and let it go');
          return;
        }
        const status = {
          ...namespace.status,
          conditions: conditionsOf(left, namespace.status?.conditions ?? [], new Date(now())),
        };
        if (undiscovered.length > 0) work.since = performance.now();
        if (JSON.stringify(status) !== JSON.stringify(namespace.status))
          await namespaces.update({ ...namespace, status }, { subresource: 'status' });
        log.info(
          { namespace: name, uid, remaining: Object.fromEntries(remaining), failures, undiscovered },
          'content remains',
        );
        return { afterMs: Math.min(LONGEST_LOOK_MS, FIRST_LOOK_MS * 2 ** work.passes++) };
      },
      { workers: flags.get('concurrent-namespace-syncs'), longestRetryMs: 60_000 },
    );

    /** Takes this controller's finalizer off the namespace as it was read; a change in between is seen with the next try. */
    async function letGo(namespace: Namespace): Promise<void> {
      const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== naming.product);
      const latest = { ...namespace, spec: { ...namespace.spec, finalizers } };
      await namespaces.update(latest, { subresource: 'finalize' }).catch((error) => {
        if (!isNotFound(error)) throw error;
      });
    }

    const add = ({ metadata }: Namespace) => metadata.deletionTimestamp && names.add(metadata.name!);
    copies.on({ added: add, updated: add, deleted: ({ metadata }) => going.delete(metadata.uid!) }, signal);
    every(flags.get('namespace-sync-period'), signal, () => {
      for (const namespace of copies.all()) add(namespace);
    });
  },
});
