import { isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import type { Namespace } from '#schema/generated/core.v1.ts';
import { controller, need } from '../controller.ts';
import { every } from '../every.ts';
import { conditionsOf } from './conditions.ts';
import { type Left, removeContent } from './remove-content.ts';

/** The waiting time after a pass that left objects, and the longest one. It doubles each time. */
const FIRST_LOOK_MS = 50;
const LONGEST_LOOK_MS = 10_000;

/** The state of a namespace that is being emptied. */
interface Work {
  /** The moment since which the controller knows that it is being deleted. */
  since: number;
  /** The number of passes that left objects. */
  passes: number;
  /**
   * The types that still had objects after the last complete pass. Only these are checked until their objects are gone.
   */
  remaining: ReadonlyMap<string, number> | undefined;
}

/**
 * Empties namespaces that are being deleted, in passes, until no objects are left in them. Then it removes its
 * finalizer, and the namespace is deleted. The namespace's conditions report the remaining objects and the reasons.
 */
export const namespaceController = controller({
  name: 'namespace',
  account: 'namespace-controller',
  // Emptying a namespace takes a request for every type, used or not.
  rate: 20,
  needs: [need(coreV1.namespaces, { fields: ['status.phase'] })],

  start({ client, informer, queue, discovery, flags, naming, log, signal, now }) {
    const copies = informer(coreV1.namespaces);
    const namespaces = client.resource(coreV1.namespaces);
    /** The namespaces that are being deleted, by uid. */
    const going = new Map<string, Work>();

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
        // Types that were added later can have no objects in it.
        const work: Work = going.get(uid) ?? { since: performance.now(), passes: 0, remaining: undefined };
        going.set(uid, work);
        const discovered = await discovery.since(work.since);
        let left = await removeContent(client, discovered, name, work.remaining);
        if (work.remaining !== undefined && isNothing(left)) left = await removeContent(client, discovered, name);
        const { failures, remaining, undiscovered } = left;
        work.remaining = failures.length + undiscovered.length === 0 ? remaining : undefined;
        if (isNothing(left)) {
          await letGo(isKeptByOthers(namespace) ? await told(namespace, left) : namespace);
          going.delete(uid);
          log.info(
            { namespace: name, uid, passes: work.passes + 1 },
            'deleted the content of a namespace and removed its finalizer',
          );
          return;
        }
        if (undiscovered.length > 0) work.since = performance.now();
        await told(namespace, left);
        log.info(
          { namespace: name, uid, remaining: Object.fromEntries(remaining), failures, undiscovered },
          'a namespace still has content',
        );
        return { afterMs: Math.min(LONGEST_LOOK_MS, FIRST_LOOK_MS * 2 ** work.passes++) };
      },
      { workers: flags.get('concurrent-namespace-syncs'), longestRetryMs: 60_000 },
    );

    /** Writes the remaining content into the namespace's conditions. Resolves to the namespace after the write. */
    async function told(namespace: Namespace, left: Left): Promise<Namespace> {
      const before = namespace.status?.conditions ?? [];
      const status = { ...namespace.status, conditions: conditionsOf(left, before, naming, new Date(now())) };
      if (JSON.stringify(status) === JSON.stringify(namespace.status)) return namespace;
      return namespaces.update({ ...namespace, status }, { subresource: 'status' });
    }

    /**
     * Whether the namespace stays after this controller releases it. Then its conditions should report that it is
     * empty.
     */
    function isKeptByOthers({ metadata, spec }: Namespace): boolean {
      return (metadata.finalizers ?? []).length > 0 || (spec?.finalizers ?? []).some((one) => one !== naming.product);
    }

    /**
     * Removes this controller's finalizer from the namespace as it was read. If the namespace has changed, the next
     * attempt sees it.
     */
    async function letGo(namespace: Namespace): Promise<void> {
      const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== naming.product);
      const latest = { ...namespace, spec: { ...namespace.spec, finalizers } };
      await namespaces.update(latest, { subresource: 'finalize' }).catch((error) => {
        if (!isNotFound(error)) throw error;
      });
    }

    const add = ({ metadata }: Namespace) => metadata.deletionTimestamp && names.add(metadata.name!);
    // While the namespace is being deleted, most changes come from this controller. It checks again by itself.
    const updated = (namespace: Namespace, before: Namespace) =>
      (namespace === before || !before.metadata.deletionTimestamp) && add(namespace);
    copies.on({ added: add, updated, deleted: ({ metadata }) => going.delete(metadata.uid!) }, signal);
    every(flags.get('namespace-sync-period'), signal, () => {
      for (const namespace of copies.all()) add(namespace);
    });
  },
});

function isNothing({ failures, remaining, undiscovered }: Left): boolean {
  return failures.length === 0 && remaining.size === 0 && undiscovered.length === 0;
}
