import { FieldPath, invalidValue, tooMany } from '#base/errors/field-error.ts';
import { internalError } from '#base/errors/status-error.ts';
import { clusterIpClaims, nodePortClaims } from '#schema/claims/claim.ts';
import { addressesOf, nodePortsOf } from '#schema/claims/service-claims.ts';
import { needsClusterIp, specOf } from '#schema/conversion/core/service-parts.ts';
import type { Service } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { canonicalIp, type IpFamily, parseIp } from '#schema/validation/ip.ts';
import type { Allocation, AllocationContext } from '../api/resource-definition.ts';
import { addressRefused } from '../kinds/core/service/cluster-ips.ts';
import { assignNodePorts, type NodePortSource } from '../kinds/core/service/node-ports.ts';
import { HEADLESS, invalidService, isHeadless, needsHealthCheckPort } from '../kinds/core/service/parts.ts';
import type { AllocateService, ServiceNetworks } from '../kinds/core/service/service-networks.ts';
import { Claims } from './claims.ts';
import type { ServiceRanges } from './service-ranges.ts';

/** The largest number of claims that fit into one transaction of the store together with the object. */
const MAX_CLAIMS = 120;
const TAKEN = 'provided IP is already allocated';
const PORT_TAKEN = 'provided port is already allocated';
const spec = new FieldPath('spec');

/** A service before its write. */
interface Pass {
  readonly service: Service;
  readonly old: Service | undefined;
  readonly ranges: ServiceRanges;
  readonly context: AllocationContext;
  readonly claims: Claims;
}

/**
 * Allocates the addresses and ports that a service needs, and claims or releases the difference. The removal of a
 * service also removes its endpoints. A dry run allocates nothing. It shows the address of the network itself instead.
 */
async function allocateService(
  service: Service | undefined,
  old: Service | undefined,
  ranges: ServiceRanges,
  context: AllocationContext,
): Promise<Allocation> {
  const { store, etcdPrefix, dryRun } = context;
  const { namespace = '', name = '', uid = '' } = (service ?? old)!.metadata;
  const claims = new Claims(store, { namespace, name, uid }, ranges.addressObjects(etcdPrefix, context.naming));
  if (service !== undefined) {
    const pass = { service, old, ranges, context, claims };
    await giveAddresses(pass);
    await givePorts(pass);
  }
  if (dryRun) return claims.allocation;
  await releaseRest(service, old, claims, etcdPrefix);
  if (service === undefined)
    await removeEndpoints(`${etcdPrefix}/core/endpoints/${namespace}/${name}`, context, claims);
  if (service !== undefined) refuseMany(service, claims.size);
  return claims.allocation;
}

/** Refuses a service that claims too much for one transaction. */
function refuseMany(service: Service, size: number): void {
  if (size > MAX_CLAIMS) throw invalidService(service, [tooMany(spec.child('ports'), size, MAX_CLAIMS)]);
}

/** The facts about the server that the rules of services use. */
export function servicesOf(ranges: ServiceRanges): {
  readonly serviceNetworks: ServiceNetworks;
  readonly allocateService: AllocateService;
} {
  return {
    serviceNetworks: ranges,
    allocateService: (service, old, context) => allocateService(service, old, ranges, context),
  };
}

async function giveAddresses({ service, old, ranges, context, claims }: Pass): Promise<void> {
  const object = specOf(service);
  if (!needsClusterIp(object) || object.clusterIP === HEADLESS || isHeadless(object)) return;
  const held = new Set(old === undefined ? [] : addressesOf(old));
  const clusterIPs = [...(object.clusterIPs ?? [])];
  const families = (object.ipFamilies ?? []) as IpFamily[];
  for (const [i, family] of families.entries()) {
    const asked = clusterIPs[i] ?? '';
    const address = parseIp(asked);
    if (address === undefined) clusterIPs[i] = await freeAddress(family, ranges, context, claims);
    else if (!held.has(canonicalIp(address)) && !context.dryRun) {
      const free = await claims.take(clusterIpClaims(context.etcdPrefix) + canonicalIp(address));
      if (!free) throw invalidService(service, [addressRefused(service, asked, TAKEN)]);
      (ranges.poolWith(address, family) ?? ranges.addresses(family)).given.static++;
    }
  }
  if (clusterIPs.length === 0) return;
  object.clusterIPs = clusterIPs;
  object.clusterIP = clusterIPs[0]!;
}

async function freeAddress(
  family: IpFamily,
  ranges: ServiceRanges,
  { store, etcdPrefix, dryRun }: AllocationContext,
  claims: Claims,
): Promise<string> {
  if (dryRun) return ranges.addresses(family).range.base;
  for (const { range, pool, given } of ranges.poolsOf(family)) {
    const index = await pool.takeAny(claims, store, clusterIpClaims(etcdPrefix));
    if (index === undefined) continue;
    given.dynamic++;
    return range.at(index);
  }
  throw internalError('failed to allocate a serviceIP: range is full');
}

async function givePorts({ service, old, ranges, context, claims }: Pass): Promise<void> {
  const object = specOf(service);
  const held = new Set(old === undefined ? [] : nodePortsOf(old));
  const source = context.dryRun ? dryPorts(context, service) : claimedPorts(context, ranges, claims, service);
  const refused = await assignNodePorts(object, held, source);
  if (refused !== undefined) throw invalidService(service, [refused]);
  if (!needsHealthCheckPort(object)) return;
  const asked = object.healthCheckNodePort ?? 0;
  if (asked === 0) {
    object.healthCheckNodePort = await source.next();
    return;
  }
  if (held.has(asked) || (await source.take(asked))) return;
  throw invalidService(service, [invalidValue(spec.child('healthCheckNodePort'), asked, PORT_TAKEN)]);
}

/** Allocates node ports permanently, with a claim for each. */
function claimedPorts(
  { store, etcdPrefix }: AllocationContext,
  ranges: ServiceRanges,
  claims: Claims,
  service: Service,
): NodePortSource {
  const prefix = nodePortClaims(etcdPrefix);
  const { pool, first } = ranges.nodePorts;
  return {
    async take(port) {
      // This check comes before each look-up, because a body has room for tens of thousands of ports.
      refuseMany(service, claims.size);
      return claims.take(`${prefix}${port}`);
    },
    async next() {
      refuseMany(service, claims.size);
      const index = await pool.takeAny(claims, store, prefix);
      if (index === undefined) throw internalError('failed to allocate a nodePort: range is full');
      return first + index;
    },
  };
}

/** A dry run shows ports above this number, or above the ports that the client asks for. These ports do not exist. */
const BELOW_DRY_PORTS = 32768;

/** Checks node ports in a dry run. Held ports are refused, but no port is allocated. */
function dryPorts({ store, etcdPrefix }: AllocationContext, service: Service): NodePortSource {
  const taken = new Set<number>();
  let highest = 0;
  return {
    async take(port) {
      refuseMany(service, taken.size);
      if (taken.has(port) || (await store.get(`${nodePortClaims(etcdPrefix)}${port}`)) !== undefined) return false;
      taken.add(port);
      highest = Math.max(highest, port);
      return true;
    },
    async next() {
      refuseMany(service, taken.size);
      highest = (highest === 0 ? BELOW_DRY_PORTS : highest) + 1;
      taken.add(highest);
      return highest;
    },
  };
}

/** Releases the addresses and ports that only the old object has. */
async function releaseRest(
  service: Service | undefined,
  old: Service | undefined,
  claims: Claims,
  etcdPrefix: string,
): Promise<void> {
  if (old === undefined) return;
  const [ips, ports] = [clusterIpClaims(etcdPrefix), nodePortClaims(etcdPrefix)];
  const keysOf = (object: Service) => [
    ...addressesOf(object).map((ip) => ips + ip),
    ...nodePortsOf(object).map((port) => `${ports}${port}`),
  ];
  const kept = new Set(service === undefined ? [] : keysOf(service));
  for (const key of keysOf(old)) if (!kept.has(key)) await claims.release(key);
}

/** Deletes the endpoints of a removed service, unless a finalizer keeps them. */
async function removeEndpoints(key: string, { store }: AllocationContext, claims: Claims): Promise<void> {
  const found = await store.get(key);
  if (found === undefined) return;
  const { metadata } = JSON.parse(found.value.toString()) as ApiObject;
  if ((metadata.finalizers ?? []).length === 0) claims.removeAt(key, found.revision);
}
