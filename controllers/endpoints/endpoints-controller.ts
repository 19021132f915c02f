import { jsonEqual } from '#base/json/json-equal.ts';
import { isAlreadyExists, isConflict, isNamespaceTerminating, isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { keyOf, splitKey } from '#client/informer/informer.ts';
import type { Endpoints } from '#schema/generated/core.v1.ts';
import { controller, need } from '../controller.ts';
import { subsetsOf, truncate } from './endpoint-subsets.ts';
import { OwnWrites } from './own-writes.ts';
import { isHeadless, onServices, POD_FIELDS, selectedBy, selectsPods, thatGoOn } from './service-pods.ts';
import { TriggerTimes } from './trigger-times.ts';

/** The largest number of addresses that one object of endpoints may have. */
const MOST_ADDRESSES = 1000;

/**
 * Maintains the endpoints of services that select pods: the addresses of these pods. It does not change the endpoints
 * of other services.
 */
export const endpointsController = controller({
  name: 'endpoint',
  account: 'endpoint-controller',
  needs: [
    need(coreV1.services, { fields: ['spec'] }),
    need(coreV1.pods, { fields: POD_FIELDS }),
    need(coreV1.endpoints, { fields: ['subsets'] }),
  ],

  start({ client, events, informer, queue, log, naming, signal }) {
    const services = informer(coreV1.services);
    const pods = informer(coreV1.pods);
    const endpoints = informer(coreV1.endpoints);

    const headless = naming.key('service/headless');
    const overCapacity = naming.key('endpoints/over-capacity');
    const triggerTime = naming.key('endpoints/last-change-trigger-time');
    const times = new TriggerTimes();
    const own = new OwnWrites();

    const keys = queue(
      async (key) => {
        const service = services.get(key);
        if (service === undefined) times.forget(key);
        if (service === undefined || !selectsPods(service) || service.metadata.deletionTimestamp) return undefined;
        const { namespace, name } = splitKey(key);
        const selected = selectedBy(service, pods);
        const all = subsetsOf(service, thatGoOn(selected, service.spec?.publishNotReadyAddresses === true));
        const subsets = truncate(all, MOST_ADDRESSES);
        const over = subsets === all ? undefined : 'truncated';
        const { [headless]: _, ...others } = service.metadata.labels ?? {};
        const labels = isHeadless(service) ? { ...others, [headless]: '' } : others;
        const copy = endpoints.get(key);
        const isRight = ({ metadata, subsets: written }: Endpoints) =>
          jsonEqual(written ?? [], subsets) &&
          jsonEqual(metadata.labels ?? {}, labels) &&
          metadata.annotations?.[overCapacity] === over;
        if (copy !== undefined && isRight(copy)) return undefined;
        const live = client.resource(coreV1.endpoints).in(namespace);
        const annotate = (others: Record<string, string> = {}) => {
          const { [overCapacity]: _over, [triggerTime]: _time, ...rest } = others;
          const time = times.next(service, selected);
          return {
            ...rest,
            ...(over === undefined ? {} : { [overCapacity]: over }),
            ...(time === undefined ? {} : { [triggerTime]: time }),
          };
        };
        try {
          if (copy === undefined)
            own.wrote(
              await live.create({
                metadata: { name, namespace: namespace!, labels, annotations: annotate() },
                subsets,
              }),
            );
          else {
            const current = await live.get(name);
            if (isRight(current)) return undefined;
            const metadata = { ...current.metadata, labels, annotations: annotate(current.metadata.annotations) };
            own.wrote(await live.update({ ...current, metadata, subsets }));
          }
          log.info({ namespace, name }, 'wrote the endpoints of the service');
        } catch (error) {
          // The namespace is being deleted, another client was first, or the cached copy lacks our last write.
          if (isNamespaceTerminating(error)) return undefined;
          if (isAlreadyExists(error) || isConflict(error) || isNotFound(error)) return { afterMs: 100 };
          const [reason, done] =
            copy === undefined ? ['FailedToCreateEndpoint', 'create'] : ['FailedToUpdateEndpoint', 'update'];
          const message = `Failed to ${done} endpoint for service ${key}: ${(error as Error).message}`;
          events.warn(
            coreV1.endpoints,
            copy ?? { metadata: { name, namespace: namespace! }, subsets: [] },
            reason,
            message,
          );
          throw error;
        }
        return undefined;
      },
      { workers: 5 },
    );
    const gone = queue(
      async (key) => {
        const copy = endpoints.get(key);
        if (services.get(key) !== undefined || copy === undefined) return;
        const { namespace, name } = splitKey(key);
        const { uid, resourceVersion } = copy.metadata;
        try {
          const preconditions = { uid: uid!, resourceVersion: resourceVersion! };
          await client.resource(coreV1.endpoints).in(namespace).delete(name, { preconditions });
          log.info({ namespace, name }, 'deleted the endpoints of a deleted service');
        } catch (error) {
          if (isNotFound(error)) return;
          throw error;
        }
      },
      { name: 'endpoint_removal' },
    );

    onServices(services, pods, (key) => keys.add(key), signal);
    services.on({ deleted: (service) => selectsPods(service) && gone.add(keyOf(service)) }, signal);
    // Changes of the endpoints by other clients are kept until the service or its pods change.
    const changed = (object: Endpoints) => own.isLast(object) && keys.add(keyOf(object));
    const deleted = (object: Endpoints) => {
      own.forget(object);
      keys.add(keyOf(object));
    };
    endpoints.on({ added: changed, updated: changed, deleted }, signal);
  },
});
