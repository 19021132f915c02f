import type { Logger } from 'pino';
import type { Admission } from '../admission/create-admission.ts';
import { keepClaimsRepaired } from '../allocation/repair.ts';
import type { ServiceRanges } from '../allocation/service-ranges.ts';
import { ensurePolicy, keepEnsuringPolicy } from '../authorization/rbac/ensure-policy.ts';
import { keepPublicMapReadable } from '../authorization/rbac/public-map.ts';
import { advertisedAddress, ensureApiService, keepApiService } from '../bootstrap/api-service.ts';
import { ensureFlowControl, keepFlowControl } from '../bootstrap/flow-control.ts';
import { ensureNamespaces } from '../bootstrap/namespaces.ts';
import { ensurePriorityClasses } from '../bootstrap/priority-classes.ts';
import { ensureServiceCidr, readyNetworks } from '../bootstrap/service-cidr.ts';
import type { ServerOptions } from '../config/options.ts';
import type { StartHooks } from '../observability/start-hooks.ts';
import type { Registry } from '../resources/registry.ts';
import { keepFromEmptiness } from './empty-store.ts';

/** The interval at which cluster IPs and node ports are compared with the services that own them. */
const CLAIM_REPAIR_MS = 3 * 60_000;

/** The objects that the system itself needs, after their creation. */
export interface Bootstrapped {
  /** Keeps this replica in the endpoints of the API's own service until the signal aborts. */
  announce(until: AbortSignal): void;
  /** Resolves when all this work has ended. */
  ended(): Promise<void>;
}

/**
 * Creates the missing objects that the system itself needs, and restores protected ones until `signal` aborts. Resolves
 * when all exist except the policy, which takes longest and delays only readiness.
 */
export async function bootstrap(
  options: ServerOptions,
  parts: { registry: Registry; admission: Admission; ranges: ServiceRanges; hooks: StartHooks },
  log: Logger,
  signal: AbortSignal,
): Promise<Bootstrapped> {
  const { registry, admission, ranges, hooks } = parts;
  const { serving } = options;
  const { store, etcdPrefix } = registry;
  const address = advertisedAddress(serving.advertiseAddress, serving.address);
  const apiService = { registry, ranges, replica: { address, port: serving.port }, ...options.ownService, log };
  const ensureObjects = async (): Promise<void> => {
    await ensurePriorityClasses(registry);
    await ensureFlowControl(registry);
    await ensureServiceCidr({ registry, ranges, log });
    await ensureApiService(apiService);
  };
  if (ranges.showsAddresses) ranges.follow(() => readyNetworks(registry));
  await ensureNamespaces(registry);
  const objects = ranges.addressObjects(etcdPrefix, registry.naming);
  const kept: Promise<unknown>[] = [];
  const usesPolicy = options.authorizationModes.includes('RBAC');
  if (usesPolicy) kept.push(keepEnsuringPolicy(registry, log, signal).then(() => hooks.complete('policy')));
  if (usesPolicy) kept.push(keepPublicMapReadable(registry, log, signal));
  await admission.ensureObjects(registry);
  await ensureObjects();
  hooks.complete('objects');
  hooks.complete('flow-control');
  hooks.complete('in-flight');
  // This happens even if this replica does not use the objects, because other replicas may use them.
  kept.push(keepFlowControl(registry, log, signal));
  kept.push(keepClaimsRepaired({ store, etcdPrefix, log, objects }, ranges, CLAIM_REPAIR_MS, signal));
  const ensureAll = async (): Promise<void> => {
    await ensureNamespaces(registry);
    if (usesPolicy) await ensurePolicy(registry);
    await ensureObjects();
  };
  kept.push(keepFromEmptiness(registry, ensureAll, log, signal));
  return {
    announce(until) {
      kept.push(keepApiService(apiService, until));
    },
    async ended() {
      await Promise.all(kept);
    },
  };
}
