import { isAlreadyExists, isConflict, isNamespaceTerminating, isNotFound } from '../../client/errors.ts';
import { coreV1 } from '../../client/generated/resources.ts';
import { byNamespace, keyOf, splitKey } from '../../client/informer/informer.ts';
import { hasLabels } from '../../client/label-selector.ts';
import { jsonEqual } from '../../server/json/json-equal.ts';
import type { Pod, Service } from '../../server/schema/generated/core.v1.ts';
import { controller, need } from '../controller.ts';
import { subsetsOf } from './endpoint-subsets.ts';

const POD_FIELDS = [
  'spec.nodeName',
  'spec.hostname',
  'spec.subdomain',
  'spec.containers.ports',
  'status.phase',
  'status.podIP',
  'status.podIPs',
  'status.conditions.type',
  'status.conditions.status',
];

/** Keeps the endpoints of services that select pods: where each of them is reached. Those of others are not touched. */
export const endpointsController = controller({
  name: 'endpoint',
  account: 'endpoint-controller',
  needs: [
    need(coreV1.services, { fields: ['spec'] }),
    need(coreV1.pods, { fields: POD_FIELDS }),
    need(coreV1.endpoints, { fields: ['subsets'] }),
  ],

  start({ client, informer, queue, log, signal }) {
    const services = informer(coreV1.services);
    const pods = informer(coreV1.pods);
    const endpoints = informer(coreV1.endpoints);

    const keys = queue(async (key) => {
      const service = services.get(key);
      if (service === undefined || !selectsPods(service) || service.metadata.deletionTimestamp) return;
      const { namespace, name } = splitKey(key);
      const selected = pods
        .find(byNamespace, namespace!)
        .filter(({ metadata }) => hasLabels(service.spec?.selector, metadata.labels));
      const subsets = subsetsOf(service, selected);
      const copy = endpoints.get(key);
      const { labels = {} } = service.metadata;
      const isRight = (found: typeof copy) =>
        jsonEqual(found?.subsets ?? [], subsets) && hasLabels(labels, found?.metadata.labels);
      if (copy !== undefined && isRight(copy)) return;
      const own = client.resource(coreV1.endpoints).in(namespace);
      try {
        if (copy === undefined) await own.create({ metadata: { name, namespace: namespace!, labels }, subsets });
        else {
          const current = await own.get(name);
          if (isRight(current)) return;
          const metadata = { ...current.metadata, labels: { ...current.metadata.labels, ...labels } };
          await own.update({ ...current, metadata, subsets });
        }
        log.info({ namespace, name }, 'wrote the endpoints of the service');
      } catch (error) {
        // Somebody else was first, or it has gone or is going: the copies will tell.
        if (isAlreadyExists(error) || isConflict(error) || isNotFound(error) || isNamespaceTerminating(error)) return;
        throw error;
      }
    });
    const gone = queue(
      async (key) => {
        const copy = endpoints.get(key);
        if (services.get(key) !== undefined || copy === undefined) return;
        const { namespace, name } = splitKey(key);
        const { uid, resourceVersion } = copy.metadata;
        try {
          const preconditions = { uid: uid!, resourceVersion: resourceVersion! };
          await client.resource(coreV1.endpoints).in(namespace).delete(name, { preconditions });
          log.info({ namespace, name }, 'removed the endpoints of a service that has gone');
        } catch (error) {
          if (isNotFound(error)) return;
          throw error;
        }
      },
      { name: 'endpoint_removal' },
    );

    const changed = (service: Service) => keys.add(keyOf(service));
    services.on(
      { added: changed, updated: changed, deleted: (service) => selectsPods(service) && gone.add(keyOf(service)) },
      signal,
    );
    const ofPod = (...states: readonly Pod[]) => {
      for (const service of services.find(byNamespace, states[0]!.metadata.namespace!))
        if (selectsPods(service) && states.some(({ metadata }) => hasLabels(service.spec?.selector, metadata.labels)))
          changed(service);
    };
    pods.on({ added: ofPod, updated: ofPod, deleted: ofPod }, signal);
    const ofEndpoints = (object: { metadata: { namespace?: string; name?: string } }) => keys.add(keyOf(object));
    endpoints.on({ updated: ofEndpoints, deleted: ofEndpoints }, signal);
  },
});

function selectsPods({ spec }: Service): boolean {
  return spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0;
}
