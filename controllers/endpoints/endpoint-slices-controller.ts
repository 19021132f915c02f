import { jsonEqual } from '#base/json/json-equal.ts';
import { isAlreadyExists, isConflict, isNamespaceTerminating, isNotFound } from '#client/errors.ts';
import { coreV1, discoveryV1 } from '#client/generated/resources.ts';
import { splitKey } from '#client/informer/informer.ts';
import type { Service } from '#schema/generated/core.v1.ts';
import type { EndpointSlice } from '#schema/generated/discovery.v1.ts';
import { controller, need } from '../controller.ts';
import { packSlices, type SliceContent } from './pack-slices.ts';
import { isHeadless, onServices, POD_FIELDS, selectedBy, selectsPods, thatGoOn } from './service-pods.ts';
import { familiesOf, groupsOf } from './service-slices.ts';
import { type SliceWords, sliceNamePrefix, sliceWords } from './slice-words.ts';
import { TriggerTimes } from './trigger-times.ts';

const SLICES = discoveryV1.endpointslices;
const MOST_ENDPOINTS = 100;
/** The time until the controller checks pods on unknown nodes again. */
const NODES_AGAIN_MS = 5_000;

/**
 * Writes the endpoint slices of services that select pods. Each slice contains the addresses of some of the pods, so
 * the change of one pod changes only one slice. The garbage collector deletes the slices of a deleted service.
 */
export const endpointSlicesController = controller<SliceWords>({
  name: 'endpointslice',
  account: 'endpointslice-controller',
  component: 'endpoint-slice-controller',
  needs: [
    need(coreV1.services, { fields: ['spec'] }),
    need(coreV1.pods, { fields: POD_FIELDS }),
    need(coreV1.nodes),
    need(SLICES, { fields: ['addressType', 'endpoints', 'ports'] }),
  ],

  prepare: ({ naming }) => sliceWords(naming, 'endpointslice-controller'),

  start({ prepared: words, client, events, informer, queue, log, naming, signal }) {
    const services = informer(coreV1.services);
    const pods = informer(coreV1.pods);
    const nodes = informer(coreV1.nodes);
    const slices = informer(SLICES);
    const zone = naming.key('topology/zone');
    /** The labels for the slices of a service: the labels of the service, and a label that marks a headless service. */
    const labelsOf = (service: Service) => {
      const { [words.headless]: _, ...labels } = service.metadata.labels ?? {};
      const headless = isHeadless(service) ? { [words.headless]: '' } : {};
      return words.labelsOf(service.metadata.name!, { ...labels, ...headless });
    };
    const times = new TriggerTimes();

    const changesFor = (service: Service, existing: readonly EndpointSlice[]) => {
      const labels = labelsOf(service);
      const selected = thatGoOn(selectedBy(service, pods), true);
      const isOwn = ({ metadata }: EndpointSlice) =>
        metadata.ownerReferences?.some(({ uid, controller: controls }) => controls && uid === service.metadata.uid);
      const families = familiesOf(service);
      const kept = existing.filter((slice) => isOwn(slice) && families.some((family) => family === slice.addressType));
      const changes = families.map((family) => ({
        family,
        ...packSlices(
          kept.filter(({ addressType }) => addressType === family),
          groupsOf(service, family, selected, (name) => nodes.get(name), zone),
          MOST_ENDPOINTS,
          ({ metadata }) => jsonEqual(metadata.labels ?? {}, labels),
        ),
      }));
      const remove = [
        ...existing.filter((slice) => !kept.includes(slice)),
        ...changes.flatMap((change) => [...change.remove]),
      ];
      const create = changes.flatMap(({ family, create: made }) => made.map((content) => ({ family, content })));
      const update = changes.flatMap((change) => change.update);
      const strays = selected.some(({ spec }) => spec?.nodeName && nodes.get(spec.nodeName) === undefined);
      return { labels, create, update, remove, strays, none: create.length + update.length + remove.length === 0 };
    };

    const keys = queue(
      async (key) => {
        const service = services.get(key);
        if (service === undefined) times.forget(key);
        if (service === undefined || !selectsPods(service) || service.metadata.deletionTimestamp) return;
        const { namespace, name } = splitKey(key);
        const own = client.resource(SLICES).in(namespace);
        const copies = slices.find(words.byService, key);
        let changes = changesFor(service, copies.filter(isStaying));
        if (!changes.none) {
          // The copy may not show the last writes yet, and the controller would create these slices twice.
          const labelSelector = words.selectorOf(name);
          changes = changesFor(service, (await own.list({ labelSelector })).items.filter(isStaying));
        }
        const { labels, create, update, remove, strays } = changes;
        const again =
          strays && service.spec?.publishNotReadyAddresses !== true ? { afterMs: NODES_AGAIN_MS } : undefined;
        if (changes.none) return again;
        const time = times.next(service, selectedBy(service, pods));
        const annotations = time === undefined ? {} : { [words.triggerTime]: time };
        const ofContent = ({ ports, endpoints }: SliceContent) => ({ ports: [...ports], endpoints: [...endpoints] });
        try {
          for (const { family, content } of create)
            await own.create({
              metadata: {
                generateName: sliceNamePrefix(name),
                labels,
                annotations,
                ownerReferences: [
                  {
                    apiVersion: 'v1',
                    kind: coreV1.services.kind,
                    name,
                    uid: service.metadata.uid!,
                    controller: true,
                    blockOwnerDeletion: true,
                  },
                ],
              },
              addressType: family,
              ...ofContent(content),
            });
          for (const { slice, content } of update) {
            const { [words.triggerTime]: _, ...others } = slice.metadata.annotations ?? {};
            const metadata = { ...slice.metadata, labels, annotations: { ...others, ...annotations } };
            await own.update({ ...slice, metadata, ...ofContent(content) });
          }
          for (const { metadata } of remove) {
            const { uid, resourceVersion } = metadata;
            await own.delete(metadata.name!, { preconditions: { uid, resourceVersion } });
          }
          const [created, updated, removed] = [create.length, update.length, remove.length];
          log.info({ namespace, name, created, updated, removed }, 'wrote the endpoint slices of the service');
        } catch (error) {
          // The namespace is being deleted, or another client was first. The next change of the cached copy starts a
          // retry.
          if (isNamespaceTerminating(error)) return;
          if (isAlreadyExists(error) || isConflict(error) || isNotFound(error)) return { afterMs: 100 };
          const message = `Error updating Endpoint Slices for Service ${key}: ${(error as Error).message}`;
          events.warn(coreV1.services, service, 'FailedToUpdateEndpointSlices', message);
          throw error;
        }
        return again;
      },
      { workers: 5 },
    );

    onServices(services, pods, (key) => keys.add(key), signal);
    const ofSlice = (slice: EndpointSlice) => {
      const name = words.serviceOf(slice);
      if (name !== undefined) keys.add(`${slice.metadata.namespace}/${name}`);
    };
    slices.on({ added: ofSlice, updated: ofSlice, deleted: ofSlice }, signal);
  },
});

function isStaying({ metadata }: EndpointSlice): boolean {
  return !metadata.deletionTimestamp;
}
