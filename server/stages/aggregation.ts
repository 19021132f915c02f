import type { Logger } from 'pino';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import { ApiServices } from '../aggregation/api-services.ts';
import { keepAuthenticationConfig } from '../aggregation/authentication-config.ts';
import { Availability } from '../aggregation/availability.ts';
import { ExtensionServers } from '../aggregation/extension-servers.ts';
import { FrontProxyIdentity } from '../aggregation/front-proxy-identity.ts';
import { defaultPriorities, GroupOrder } from '../aggregation/group-order.ts';
import { keptLabel, LocalServices } from '../aggregation/local-services.ts';
import { aggregationFilter, remoteAt } from '../aggregation/proxy.ts';
import { RemoteDiscovery } from '../aggregation/remote-discovery.ts';
import { RemoteDocuments } from '../aggregation/remote-documents.ts';
import { RepeatedWork } from '../aggregation/repeated-work.ts';
import type { Filter } from '../api/filter.ts';
import type { ServerOptions } from '../config/options.ts';
import type { DocumentsElsewhere } from '../openapi/openapi.ts';
import { OutdatedCertificates } from '../outbound/call-metrics.ts';
import { credentialHeaders } from '../subresources/connect/create-connections.ts';
import type { PolicyStage } from './policy.ts';

/** The parts that serve groups of other servers at this address. */
export interface AggregationStage {
  readonly groups: GroupOrder;
  /** The documents of other servers. */
  readonly documents: DocumentsElsewhere;
  /** Forwards requests to other servers. */
  readonly filter: Filter;
  /** All registered group versions, and whether their servers are available. */
  availabilities(): readonly { readonly name: string; readonly available: boolean }[];
  /** Whether another server answers at a path. */
  isRemote(path: string): boolean;
  /** Resolves when all work in progress has ended, after `leaving` has aborted. */
  ended(): Promise<void>;
}

/**
 * Keeps track of which server serves which group version, from a filled cache on until `leaving` aborts. Resolves when
 * the group versions of this server are stored as APIServices.
 */
export async function aggregate(
  options: ServerOptions,
  { registry, services: clusterServices, metrics }: Pick<PolicyStage, 'registry' | 'services'> & { metrics: MetricSet },
  log: Logger,
  leaving: AbortSignal,
): Promise<AggregationStage> {
  const { identity: files, passesRedirects } = options.aggregation;
  const flags = { cert: '--proxy-client-cert-file', key: '--proxy-client-key-file' };
  const identity = files && new FrontProxyIdentity({ ...files, flags });
  const servers = new ExtensionServers(clusterServices, () => identity?.value);
  const services = new ApiServices(registry);
  const discovery = new RemoteDiscovery(servers, registry.naming);
  const groups = new GroupOrder(
    services,
    defaultPriorities(registry.schema, registry.naming),
    discovery,
    keptLabel(registry.naming),
  );
  const local = new LocalServices(registry, services);
  await local.keep(true);
  const keeping = new RepeatedWork(
    () => local.keep(),
    'the server could not update the APIServices of its own groups and will try again',
    log,
    leaving,
  );
  services.onChange(() => keeping.poke());
  const forget = registry.onChange(() => keeping.poke());
  keeping.poke();
  const configEnded = keepAuthenticationConfig(registry, options.authentication, log, leaving);
  const documents = new RemoteDocuments(servers, registry.naming);
  const availability = new Availability(registry, { services, servers, documents, discovery }, log, leaving);
  const filter = aggregationFilter({
    registry,
    services,
    servers,
    availability,
    credentials: credentialHeaders(options, registry.naming),
    passesRedirects,
    bytesPerSecond: options.connectionBytesPerSecond,
    certificates: new OutdatedCertificates(metrics, 'orch_aggregator'),
  });
  return {
    groups,
    documents,
    filter,
    availabilities: () =>
      services.all.map((known) => ({
        name: known.item.name,
        available: known.object.spec?.service === undefined || availability.isAvailable(known),
      })),
    isRemote: (path) => remoteAt(services, path) !== undefined,
    async ended() {
      forget();
      services.stop();
      await keeping.ended();
      await configEnded();
      await availability.ended();
      await servers.stop();
    },
  };
}
