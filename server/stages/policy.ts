import type { Logger } from 'pino';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { ObjectStore } from '#storage/object-store.ts';
import { type Admission, createAdmission } from '../admission/create-admission.ts';
import { accountTokenCounts } from '../authentication/account-token-counts.ts';
import { configReloads } from '../authentication/config-reloads.ts';
import { type CreatedAuthentication, createAuthentication } from '../authentication/create-authentication.ts';
import { Authorization } from '../authorization/create-authorization.ts';
import { writeGuard } from '../authorization/write-guard.ts';
import type { WatchCache } from '../cache/watch-cache.ts';
import type { ServerOptions } from '../config/options.ts';
import { countedCalls } from '../outbound/call-metrics.ts';
import { ClusterServices, serviceObjects } from '../outbound/cluster-services.ts';
import { builtInResources } from '../resources/built-in-resources.ts';
import { OtherReleases } from '../resources/other-releases.ts';
import { Registry } from '../resources/registry.ts';
import type { BuiltInKinds } from './built-in-kinds.ts';

/**
 * The third stage: the served resources, and the rights of users. It exists as long as the cache by which it decides.
 */
export interface PolicyStage {
  readonly authentication: CreatedAuthentication;
  readonly authorization: Authorization;
  readonly admission: Admission;
  readonly registry: Registry;
  readonly services: ClusterServices;
}

/**
 * Each part uses the earlier ones: authorization reads the cache, admission calls authorization, and verbs call both.
 * Plug-ins also read the content of the registry, so the registry creates their chain.
 */
export function createPolicy(
  options: ServerOptions,
  { schema, rules }: BuiltInKinds,
  { store, cache, metrics }: { readonly store: ObjectStore; readonly cache: WatchCache; readonly metrics: MetricSet },
  log: Logger,
): PolicyStage {
  const { naming, release, gates } = options;
  const counted = countedCalls(metrics);
  const authorization = new Authorization(options, cache, log, counted, () => configReloads(metrics, 'authorization'));
  const parts = {
    schema,
    naming,
    gates,
    cache,
    others: new OtherReleases(cache, release),
    rules,
    options: options.verbs,
    etcdPrefix: options.etcd.prefix,
    enabled: options.runtimeConfig.enabled,
  };
  const builtIn = builtInResources(parts);
  const services = new ClusterServices(serviceObjects(parts, builtIn.stored), naming, options.callsEndpoints);
  const admission = createAdmission(options, authorization.access, services, metrics, (line) => log.warn(line));
  const registry = new Registry({
    ...parts,
    builtIn,
    store,
    admission: (registry) => admission.chain(registry),
    guard: writeGuard(authorization, naming),
  });
  const authentication = createAuthentication(options.authentication, {
    release: options.release,
    gates: options.gates,
    reader: authorization.reader,
    naming,
    counted,
    tokens: accountTokenCounts(metrics),
    reloads: () => configReloads(metrics, 'authentication'),
    onError: (error) => log.warn({ err: error }, 'authentication failed because of a file or an issuer'),
    warn: (line) => log.warn(line),
  });
  return { authentication, authorization, admission, registry, services };
}
