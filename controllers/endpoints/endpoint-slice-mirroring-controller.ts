import { jsonEqual } from '#base/json/json-equal.ts';
import { isAlreadyExists, isConflict, isNamespaceTerminating, isNotFound } from '#client/errors.ts';
import { coreV1, discoveryV1 } from '#client/generated/resources.ts';
import { keyOf, splitKey } from '#client/informer/informer.ts';
import type { ResourceClient } from '#client/resource-client.ts';
import type { Endpoints, Service } from '#schema/generated/core.v1.ts';
import type { EndpointSlice } from '#schema/generated/discovery.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { controller, need } from '../controller.ts';
import { changesTo, type Mirror, type MirrorChanges, type Mirrored, mirrorOf } from './mirror-slices.ts';
import { OwnWrites } from './own-writes.ts';
import { portsKey } from './pack-slices.ts';
import { type SliceWords, sliceNamePrefix, sliceWords } from './slice-words.ts';

const SLICES = discoveryV1.endpointslices;
/** The largest number of addresses of one subset in slices. */
const MOST_ADDRESSES = 1000;

/** Copies the endpoints of services without a selector, which users write, into endpoint slices. */
export const endpointSliceMirroringController = controller<SliceWords>({
  name: 'endpointslicemirroring',
  account: 'endpointslicemirroring-controller',
  component: 'endpoint-slice-mirroring-controller',
  needs: [
    need(coreV1.services, { fields: ['spec'] }),
    need(coreV1.endpoints, { fields: ['subsets'] }),
    need(SLICES, { fields: ['addressType', 'endpoints', 'ports'] }),
  ],

  prepare: ({ naming }) => sliceWords(naming, 'endpointslicemirroring-controller'),

  start({ prepared: words, client, events, informer, queue, log, naming, signal }) {
    const services = informer(coreV1.services);
    const endpoints = informer(coreV1.endpoints);
    const slices = informer(SLICES);
    const written = new OwnWrites();
    const skip = naming.key('endpointslice/skip-mirror');
    const leader = naming.key('control-plane.alpha/leader');
    const notMirrored = [words.triggerTime, naming.key('ctl/last-applied-configuration')];

    /** Whether endpoints are mirrored. Endpoints that a program uses as a lease are not. */
    const isMirrored = ({ metadata }: Endpoints) =>
      metadata.labels?.[skip] !== 'true' && !Object.hasOwn(metadata.annotations ?? {}, leader);
    const selectsNone = (service: Service | undefined) =>
      service !== undefined && Object.keys(service.spec?.selector ?? {}).length === 0;

    /** The labels, annotations and owner that the slices of endpoints need. */
    const metadataOf = ({ metadata: { name = '', uid, labels, annotations } }: Endpoints) => ({
      labels: words.labelsOf(name, labels ?? {}),
      annotations: Object.fromEntries(Object.entries(annotations ?? {}).filter(([of]) => !notMirrored.includes(of))),
      ownerReferences: [
        { apiVersion: 'v1', kind: coreV1.endpoints.kind, name, uid: uid!, controller: true, blockOwnerDeletion: true },
      ],
    });

    const keys = queue(
      async (key) => {
        const { namespace, name } = splitKey(key);
        const source = endpoints.get(key);
        const shown = source !== undefined && isMirrored(source) && selectsNone(services.get(key));
        const mirror: Mirror = shown ? mirrorOf(source, MOST_ADDRESSES) : { slices: [], skipped: 0 };
        const metadata = source && metadataOf(source);
        const isRight = (slice: EndpointSlice) =>
          jsonEqual(slice.metadata.labels ?? {}, metadata?.labels) &&
          jsonEqual(slice.metadata.annotations ?? {}, metadata?.annotations);
        const changesFrom = (existing: readonly EndpointSlice[]) =>
          changesTo(
            mirror.slices,
            existing.filter((slice) => !slice.metadata.deletionTimestamp),
            isRight,
          );
        if (mirror.skipped > 0) events.warn(coreV1.endpoints, source!, 'TooManyAddressesToMirror', tooMany(mirror));
        const copies = slices.find(words.byService, key);
        if (isNone(changesFrom(copies))) return undefined;
        const own = client.resource(SLICES).in(namespace);
        // The copy may lack the last writes. The controller would then create the slices twice.
        const changes = changesFrom((await own.list({ labelSelector: words.selectorOf(name) })).items);
        if (isNone(changes)) return undefined;
        try {
          await write(own, sliceNamePrefix(name), metadata ?? {}, changes, written);
        } catch (error) {
          // The namespace is being deleted, or another client was first. The next change of the cached copy starts a
          // retry.
          if (isNamespaceTerminating(error)) return undefined;
          if (isAlreadyExists(error) || isConflict(error) || isNotFound(error)) return { afterMs: 100 };
          throw error;
        }
        const [created, updated, removed] = [changes.create, changes.update, changes.remove].map((all) => all.length);
        log.info({ namespace, name, created, updated, removed }, 'wrote the endpoint slices of the endpoints');
        return undefined;
      },
      { workers: 5 },
    );

    const add = (object: Endpoints | Service) => keys.add(keyOf(object));
    endpoints.on({ added: add, updated: add, deleted: add }, signal);
    services.on({ added: add, updated: add, deleted: add }, signal);
    const ofSlice = (slice: EndpointSlice) => {
      const name = words.serviceOf(slice);
      if (name !== undefined) keys.add(`${slice.metadata.namespace}/${name}`);
    };
    // Changes of slices by other clients are kept until the endpoints change.
    const changed = (slice: EndpointSlice, before: EndpointSlice) => {
      if (words.serviceOf(slice) !== words.serviceOf(before) || written.isLast(slice)) ofSlice(slice);
    };
    const deleted = (slice: EndpointSlice) => {
      written.forget(slice);
      ofSlice(slice);
    };
    slices.on({ added: ofSlice, updated: changed, deleted }, signal);
  },
});

function isNone({ create, update, remove }: MirrorChanges): boolean {
  return create.length + update.length + remove.length === 0;
}

function tooMany({ skipped }: Mirror): string {
  return (
    `A max of ${MOST_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. ` +
    `${skipped} addresses were skipped`
  );
}

async function write(
  own: ResourceClient<EndpointSlice>,
  generateName: string,
  metadata: ApiObject['metadata'],
  { create, update, remove }: MirrorChanges,
  written: OwnWrites,
): Promise<void> {
  const contentOf = ({ addressType, ports, endpoints }: Mirrored) => ({
    addressType,
    ports: [...ports],
    endpoints: [...endpoints],
  });
  for (const content of create)
    written.wrote(await own.create({ metadata: { generateName, ...metadata }, ...contentOf(content) }));
  for (const { slice, content } of update) {
    const { name, namespace, uid, resourceVersion } = slice.metadata;
    // An old slice that is reused gets the same content as a new slice.
    const prefix = portsKey(slice.ports) === portsKey(content.ports) ? {} : { generateName };
    const version = { name, namespace, uid, resourceVersion, ...prefix, ...metadata };
    written.wrote(await own.update({ metadata: version, ...contentOf(content) } as EndpointSlice));
  }
  for (const slice of remove) {
    const { name, uid, resourceVersion } = slice.metadata;
    await own.delete(name!, { preconditions: { uid, resourceVersion } });
  }
}
