import { isNotFound } from '#client/errors.ts';
import { apiextensionsV1, apiregistrationV1 } from '#client/generated/resources.ts';
import { byOwner, type Handler, keyOf } from '#client/informer/informer.ts';
import type { LookAgain } from '#client/work/work-queue.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { controller, need } from '../controller.ts';
import { FOREGROUND, type Known, ORPHAN, type OwnerReference, Owners, refersTo, waits } from './owners.ts';
import { type WatchedType, WatchedTypes } from './watched-types.ts';

/** How long the collector waits for a new type whose objects cannot be listed, in milliseconds. */
const FILL_MS = 30_000;
/** How long the collector waits before it checks again whether its copies are filled, in milliseconds. */
const FILLING_MS = 200;
/**
 * Many dependents of one owner end together. The collector checks the owner only once for all that end in this time.
 */
const TOGETHER_MS = 50;
/** How long the collector waits before it checks an owner again that exists but is not in the copies. */
const UNSEEN_MS = 60_000;
/** The number of dependents that are orphaned at the same time. */
const ORPHANS_AT_ONCE = 8;

/**
 * Deletes objects whose owners are all gone or wait for them. If one owner keeps an object, the collector removes only
 * the references to the other owners. It also finishes deletions: in the foreground when no dependent blocks them any
 * more, or after it has orphaned the dependents. The set of copied types may change. Each write carries the version of
 * the object in the copy. The collector asks the server whether an owner is absent or waits.
 */
export const garbageCollector = controller<WatchedTypes>({
  name: 'garbagecollector',
  account: 'generic-garbage-collector',
  component: 'garbage-collector-controller',
  // Deleting one object takes one request, and an owner may have thousands of dependents.
  rate: 20,
  unavailable: (flags) => (flags.get('enable-garbage-collector') ? undefined : '--enable-garbage-collector is false'),
  needs: [need(apiextensionsV1.customresourcedefinitions), need(apiregistrationV1.apiservices)],
  prepare: (standing) => new WatchedTypes(standing),

  start({ client, events, prepared: types, discovery, queue, flags, log, signal }) {
    const owners = new Owners(types, client, discovery);
    /** Keys of objects with an owner whose kind is not served. They are checked again when the served types change. */
    const puzzling = new Set<string>();
    const objects = queue(reconcile, { workers: flags.get('concurrent-gc-syncs'), longestRetryMs: 60_000 });

    const idOf = (name: string, key: string) => `${name} ${key}`;
    const clientOf = ({ type }: WatchedType, { metadata }: ApiObject) =>
      client.resource(type).in(metadata.namespace).metadataOnly();
    const fieldsOf = ({ name }: WatchedType, { metadata }: ApiObject) => ({
      type: name,
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      name: metadata.name,
      uid: metadata.uid,
    });

    async function reconcile(id: string): Promise<LookAgain | undefined> {
      const space = id.indexOf(' ');
      const watched = types.named(id.slice(0, space));
      const object = watched?.objects.get(id.slice(space + 1));
      if (watched === undefined || object === undefined) return;
      const { deletionTimestamp, finalizers = [], ownerReferences = [] } = object.metadata;
      if (!deletionTimestamp) return ownerReferences.length === 0 ? undefined : collect(id, watched, object);
      if (finalizers.includes(ORPHAN)) return orphan(watched, object);
      if (finalizers.includes(FOREGROUND)) return finish(watched, object);
    }

    /** Deletes an object that no owner keeps. */
    async function collect(id: string, watched: WatchedType, object: ApiObject): Promise<LookAgain | undefined> {
      const { name = '', namespace, uid, resourceVersion, finalizers = [], ownerReferences = [] } = object.metadata;
      if (ownerReferences.some((owner) => owners.isFilling(owner, FILL_MS))) return { afterMs: FILLING_MS };
      const states = await Promise.all(ownerReferences.map((owner) => owners.stateOf(owner, namespace)));
      ownerReferences.forEach((owner, i) => {
        const lost = states[i] === 'absent' || states[i] === 'unknown';
        if (lost && owners.isElsewhere(owner, namespace)) reportMisplaced(watched, object, owner);
      });
      if (states.includes('unknown')) {
        puzzling.add(id);
        return;
      }
      const kept = ownerReferences.filter((_, i) => states[i] === 'there');
      if (kept.length === ownerReferences.length) {
        // If an owner is not in the copies, its deletion may cause no event.
        return kept.every((owner) => owners.known(owner, namespace)) ? undefined : { afterMs: UNSEEN_MS };
      }
      const dependent = clientOf(watched, object);
      if (kept.length > 0) {
        const patch = { metadata: { uid, resourceVersion, ownerReferences: kept } };
        await ignoreGone(dependent.patch(name, 'merge', patch));
        log.info({ ...fieldsOf(watched, object), owners: kept.length }, 'removed references to deleted owners');
        return;
      }
      const preconditions = { uid, resourceVersion };
      const below = states.includes('waiting') ? dependentsOf(watched, object) : [];
      if (below.some((dependent) => waits(dependent.object))) {
        // A circle of owners. Without this step, each object would wait for the other.
        const free = ownerReferences.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
        const patch = { metadata: { uid, resourceVersion, ownerReferences: free } };
        const after = await ignoreGone(dependent.patch(name, 'merge', patch));
        preconditions.resourceVersion = after?.metadata.resourceVersion;
      }
      const own = finalizers.includes(ORPHAN)
        ? 'Orphan'
        : finalizers.includes(FOREGROUND)
          ? 'Foreground'
          : 'Background';
      const propagationPolicy = below.length > 0 ? 'Foreground' : own;
      if ((await ignoreGone(dependent.delete(name, { preconditions, propagationPolicy }))) === undefined) return;
      log.info({ ...fieldsOf(watched, object), propagationPolicy }, 'deleted an object because its owners are deleted');
    }

    /** Writes an event on the object: its owner has another scope, so it cannot own the object. */
    function reportMisplaced({ type }: WatchedType, object: ApiObject, owner: OwnerReference): void {
      const { namespace = '' } = object.metadata;
      const { apiVersion, kind, name, uid } = owner;
      const reference = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
      const message = `ownerRef ${reference} does not exist in namespace ${JSON.stringify(namespace)}`;
      // The event is about the object, not about one of its versions.
      const { resourceVersion: _, ...metadata } = object.metadata;
      events.warn(type, { metadata }, 'OwnerRefInvalidNamespace', message);
    }

    /** Removes the finalizer of an object that is deleted in the foreground, when no dependent blocks it any more. */
    async function finish(watched: WatchedType, object: ApiObject): Promise<LookAgain | undefined> {
      const filling = types.unfilled(FILL_MS);
      if (filling === undefined || filling.length > 0) return { afterMs: FILLING_MS };
      let blocked = false;
      for (const { watched: of, object: dependent, reference, key } of dependentsOf(watched, object)) {
        if (!dependent.metadata.deletionTimestamp) objects.add(idOf(of.name, key));
        blocked ||= reference.blockOwnerDeletion === true;
      }
      if (blocked) return;
      await letGo(watched, object, FOREGROUND);
      log.info(fieldsOf(watched, object), 'removed the finalizer of foreground deletion: no dependent blocks it');
    }

    /** Removes the references to an object from all of its dependents, and then the finalizer of the object. */
    async function orphan(watched: WatchedType, object: ApiObject): Promise<LookAgain | undefined> {
      // A dependent that the collector misses here would be deleted later. So the collector waits for types that are
      // not copied yet.
      const filling = types.unfilled(Number.POSITIVE_INFINITY);
      if (filling === undefined || filling.length > 0) {
        log.debug({ ...fieldsOf(watched, object), types: filling }, 'waiting for the informers to list their objects');
        return { afterMs: FILLING_MS };
      }
      const dependents = dependentsOf(watched, object);
      let next = 0;
      const worker = async () => {
        while (next < dependents.length) {
          const { watched: of, object: dependent } = dependents[next++]!;
          const { name = '', uid, resourceVersion, ownerReferences = [] } = dependent.metadata;
          const others = ownerReferences.filter((owner) => owner.uid !== object.metadata.uid);
          const patch = { metadata: { uid, resourceVersion, ownerReferences: others.length > 0 ? others : null } };
          await ignoreGone(clientOf(of, dependent).patch(name, 'merge', patch));
        }
      };
      const results = await Promise.allSettled(Array.from({ length: ORPHANS_AT_ONCE }, worker));
      for (const result of results) if (result.status === 'rejected') throw result.reason;
      await letGo(watched, object, ORPHAN);
      log.info(
        { ...fieldsOf(watched, object), dependents: dependents.length },
        'removed the orphan finalizer: its dependents stay',
      );
    }

    async function letGo(watched: WatchedType, object: ApiObject, finalizer: string): Promise<void> {
      const { name = '', uid, resourceVersion, finalizers = [] } = object.metadata;
      const others = finalizers.filter((other) => other !== finalizer);
      const patch = { metadata: { uid, resourceVersion, finalizers: others.length > 0 ? others : null } };
      await ignoreGone(clientOf(watched, object).patch(name, 'merge', patch));
    }

    /** The objects in the copies that name this object as an owner and are allowed to. */
    function dependentsOf(watched: WatchedType, owner: ApiObject): Dependent[] {
      const found: Dependent[] = [];
      for (const of of types.all())
        for (const object of of.objects.find(byOwner, owner.metadata.uid ?? '')) {
          const { namespace, ownerReferences = [] } = object.metadata;
          const reference = ownerReferences.find((candidate) => refersTo(candidate, namespace, watched, owner));
          if (reference !== undefined) found.push({ watched: of, object, key: keyOf(object), reference });
        }
      return found;
    }

    /** Queues the owners of an object that wait for their dependents or orphan them. */
    function addOwners({ metadata: { namespace, ownerReferences = [] } }: ApiObject): void {
      for (const reference of ownerReferences) {
        const owner = owners.known(reference, namespace);
        if (owner?.object.metadata.deletionTimestamp)
          objects.addAfter(idOf(owner.watched.name, owner.key), TOGETHER_MS);
      }
    }

    function handlerOf(watched: WatchedType): Handler<ApiObject> {
      const look = (object: ApiObject) => {
        const { deletionTimestamp, ownerReferences = [] } = object.metadata;
        if (deletionTimestamp || ownerReferences.length > 0) objects.add(idOf(watched.name, keyOf(object)));
        addOwners(object);
      };
      return {
        added: look,
        updated: (object, before) => {
          if (object !== before && !hasChanged(object, before)) return;
          look(object);
          addOwners(before);
        },
        deleted: (object) => {
          puzzling.delete(idOf(watched.name, keyOf(object)));
          if (!types.dropping) owners.sawEnd(object);
          for (const of of types.all())
            for (const dependent of of.objects.find(byOwner, object.metadata.uid ?? ''))
              objects.add(idOf(of.name, keyOf(dependent)));
          addOwners(object);
        },
      };
    }

    types.on((added) => {
      for (const watched of added) watched.objects.on(handlerOf(watched), signal);
      for (const id of puzzling) objects.add(id);
      puzzling.clear();
    }, signal);
  },
});

interface Dependent extends Known {
  readonly reference: OwnerReference;
}

/** Whether a change affects the work of the collector on an object or its owners. */
function hasChanged({ metadata: now }: ApiObject, { metadata: before }: ApiObject): boolean {
  return (
    now.deletionTimestamp !== before.deletionTimestamp ||
    JSON.stringify(now.finalizers) !== JSON.stringify(before.finalizers) ||
    JSON.stringify(now.ownerReferences) !== JSON.stringify(before.ownerReferences)
  );
}

/** The answer; undefined if the object no longer exists. */
async function ignoreGone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
