import type { Logger } from 'pino';
import { append } from '#base/collections/append.ts';
import { sleep } from '#base/time/sleep.ts';
import {
  claimOwner,
  claimValue,
  clusterIpClaims,
  nodePortClaims,
  type Owner,
  sameOwner,
} from '#schema/claims/claim.ts';
import { addressesOf, nodePortsOf } from '#schema/claims/service-claims.ts';
import type { Service } from '#schema/generated/core.v1.ts';
import type { Condition, ObjectStore, Stored, Write } from '#storage/object-store.ts';
import type { AddressObjects } from './address-objects.ts';
import type { ServiceRanges } from './service-ranges.ts';

/** The number of objects that are read at once. */
const PAGE = 500;

/** The store to repair, and the prefix of its keys. */
export interface RepairOptions {
  readonly store: ObjectStore;
  readonly etcdPrefix: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** The objects that show cluster IPs, in releases that have them. */
  readonly objects?: AddressObjects | undefined;
}

/** The results of a pass. */
export interface Repaired {
  /** Claims that were removed. Their services are deleted, or now hold another address or port. */
  readonly freed: number;
  /** Addresses and ports that a service held without a claim. */
  readonly claimed: number;
  /** Addresses and ports that more than one service holds. Only a person can resolve this. */
  readonly disputed: number;
  /** The cluster IPs that are held after the pass. */
  readonly addresses: readonly string[];
}

/** A stored service with its addresses and ports. */
interface Holder {
  readonly key: string;
  readonly revision: number;
  readonly owner: Owner;
  readonly claims: readonly string[];
}

/**
 * Repairs differences between claims and services, for example after an administrator wrote the store by hand or
 * restored parts of it. The server writes claims and services together, and reads them here at one revision, so every
 * difference is a fault. A transaction repairs each fault, on the condition that the claim and its service are
 * unchanged. So passes of several replicas do not disturb each other or writes in progress.
 * @throws the errors of the store
 */
export async function repairClaims({ store, etcdPrefix, log, objects }: RepairOptions): Promise<Repaired> {
  const services = `${etcdPrefix}/core/services/`;
  const { items, revision } = await readAll(store, services);
  const holders = items.map((stored) => holderOf(stored, etcdPrefix));
  const byKey = new Map(holders.map((holder) => [holder.key, holder]));
  const claims = new Map<string, Stored>();
  const ips = clusterIpClaims(etcdPrefix);
  for (const prefix of [ips, nodePortClaims(etcdPrefix)]) {
    for (const claim of (await readAll(store, prefix, revision)).items) claims.set(claim.key, claim);
  }
  const transact = async (conditions: Condition[], write: Write): Promise<boolean> =>
    (await store.transact(conditions, [write])).outcome === 'written';
  let freed = 0;
  for (const claim of claims.values()) {
    const owner = claimOwner(claim.value);
    const key = owner === undefined ? undefined : `${services}${owner.namespace}/${owner.name}`;
    const holder = key === undefined ? undefined : byKey.get(key);
    if (holder !== undefined && sameOwner(owner, holder.owner) && holder.claims.includes(claim.key)) continue;
    const conditions = [{ key: claim.key, revision: claim.revision }];
    if (key !== undefined) conditions.push({ key, revision: holder?.revision ?? 0 });
    if (!(await transact(conditions, { key: claim.key }))) continue;
    claims.delete(claim.key);
    freed += 1;
    log.warn({ claim: claim.key }, 'freed an address or port that no service holds');
  }
  let claimed = 0;
  let disputed = 0;
  for (const holder of holders) {
    for (const key of holder.claims) {
      const claim = claims.get(key);
      if (claim !== undefined && sameOwner(claimOwner(claim.value), holder.owner)) continue;
      if (claim !== undefined) {
        disputed += 1;
        log.warn({ claim: key, service: holder.key }, 'an address or port is held by several services');
        continue;
      }
      const value = claimValue(holder.owner);
      const conditions = [{ key, revision: 0 }, holder];
      if (!(await transact(conditions, { key, value }))) continue;
      claims.set(key, { key, value, revision: 0 });
      claimed += 1;
      log.warn({ claim: key, service: holder.key }, 'claimed an address or port for the service that holds it');
    }
  }
  if (objects !== undefined) {
    const found = await readAll(store, objects.prefix, revision);
    const shown = await repairObjects(found.items, byKey, { objects, services, log, transact });
    freed += shown.freed;
    claimed += shown.claimed;
    disputed += shown.disputed;
  }
  const addresses = [...claims.keys()].filter((key) => key.startsWith(ips)).map((key) => key.slice(ips.length));
  return { freed, claimed, disputed, addresses };
}

/**
 * Corrects the objects that show addresses, so that they match the services. A release without these objects leaves
 * some missing, and some for addresses that services have released.
 */
async function repairObjects(
  found: readonly Stored[],
  holders: ReadonlyMap<string, Holder>,
  parts: {
    readonly objects: AddressObjects;
    readonly services: string;
    readonly log: RepairOptions['log'];
    transact(conditions: Condition[], write: Write): Promise<boolean>;
  },
): Promise<Pick<Repaired, 'freed' | 'claimed' | 'disputed'>> {
  const { objects, services, log, transact } = parts;
  const left = new Map(found.map((object) => [object.key, object]));
  let [freed, claimed, disputed] = [0, 0, 0];
  for (const { key, value, revision } of found) {
    const service = objects.serviceOf(value);
    if (service === undefined) continue;
    const holder = holders.get(services + service);
    if (holder?.claims.some((claim) => objects.keyOf(claim) === key) === true) continue;
    const conditions = [
      { key, revision },
      { key: services + service, revision: holder?.revision ?? 0 },
    ];
    if (!(await transact(conditions, { key }))) continue;
    left.delete(key);
    freed += 1;
    log.warn({ object: key }, 'removed the object of an address that no service holds');
  }
  for (const holder of holders.values()) {
    for (const key of holder.claims.flatMap((claim) => objects.keyOf(claim) ?? [])) {
      const object = left.get(key);
      if (object !== undefined) {
        if (objects.shows(object.value, holder.owner)) continue;
        disputed += 1;
        log.warn(
          { object: key, service: holder.key },
          'the object of an address names another holder than its service',
        );
        continue;
      }
      const value = objects.value(key, holder.owner);
      if (
        !(await transact(
          [
            { key, revision: 0 },
            { key: holder.key, revision: holder.revision },
          ],
          { key, value },
        ))
      )
        continue;
      claimed += 1;
      log.info({ object: key, service: holder.key }, 'made the object of an address that a service holds');
    }
  }
  return { freed, claimed, disputed };
}

function holderOf({ key, value, revision }: Stored, etcdPrefix: string): Holder {
  const service = JSON.parse(value.toString()) as Service;
  const { namespace = '', name = '', uid = '' } = service.metadata;
  const [ips, ports] = [clusterIpClaims(etcdPrefix), nodePortClaims(etcdPrefix)];
  const claims = [
    ...addressesOf(service).map((ip) => ips + ip),
    ...nodePortsOf(service).map((port) => `${ports}${port}`),
  ];
  return { key, revision, owner: { namespace, name, uid }, claims };
}

async function readAll(store: ObjectStore, prefix: string, at?: number) {
  const items: Stored[] = [];
  let revision = at;
  for (;;) {
    const after = items.at(-1)?.key;
    const page = await store.list(prefix, {
      limit: PAGE,
      ...(revision === undefined ? {} : { at: revision }),
      ...(after === undefined ? {} : { after }),
    });
    revision ??= page.revision;
    append(items, page.items);
    if (!page.more) return { items, revision };
  }
}

/**
 * Repairs every `intervalMs` until the signal aborts, and informs the ranges about the held addresses and ports.
 * Resolves when the last pass has ended. A failed pass is tried again at the next interval.
 */
export async function keepClaimsRepaired(
  options: RepairOptions,
  ranges: Pick<ServiceRanges, 'countHeld'>,
  intervalMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      ranges.countHeld((await repairClaims(options)).addresses);
    } catch (error) {
      options.log.warn({ err: error }, 'claims of services could not be checked; the next interval tries again');
    }
    await sleep(intervalMs, signal);
  }
}
