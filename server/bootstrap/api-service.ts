import { randomUUID } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { sleep } from '#base/time/sleep.ts';
import { claimOwner, claimValue, clusterIpClaims, nodePortClaims, sameOwner } from '#schema/claims/claim.ts';
import type { Service } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Condition, Write } from '#storage/object-store.ts';
import type { ServiceRanges } from '../allocation/service-ranges.ts';
import type { Registry } from '../resources/registry.ts';
import { timestamp } from '../verbs/object-meta.ts';
import { ownValue, withOwnFields } from '../verbs/own-fields.ts';
import { storedValue } from '../verbs/written.ts';
import { apiEndpoints, apiSlices, type Replica, sliceNames } from './api-endpoints.ts';

const NAMESPACE = 'default';
const PORT = 443;
/** The interval of a replica's heartbeat, and of its check of the other replicas. */
const BEAT_MS = 5_000;
/** How long the other replicas rely on a heartbeat. */
const TTL_SECONDS = 15;

/** The inputs for the service of the server itself. */
export interface ApiServiceOptions {
  readonly registry: Registry;
  readonly ranges: ServiceRanges;
  /** The address of this replica for clients inside the cluster. */
  readonly replica: Replica;
  /** The node port of the service, set when the service is created; 0 for no node port. */
  readonly nodePort: number;
  /** Whether replicas keep the endpoints of the service. */
  readonly writesEndpoints: boolean;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * The address at which clients reach a replica: the given address, or otherwise the one on which it listens, or
 * otherwise the machine's first address that is not local.
 */
export function advertisedAddress(given: string | undefined, listensOn: string): string {
  if (given !== undefined) return given;
  if (listensOn !== '0.0.0.0' && listensOn !== '::') return listensOn;
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const outside = all.filter((address) => !address.internal);
  return (outside.find((address) => address.family === 'IPv4') ?? outside[0])?.address ?? '127.0.0.1';
}

function replicaKey(registry: Registry, { address, port }: Replica): string {
  return `${registry.etcdPrefix}/masters/${address}:${port}`;
}

/**
 * Creates the service through which workloads reach this system, if it does not exist. It gets the first cluster IP.
 */
export async function ensureApiService({ registry, ranges, replica, nodePort, log }: ApiServiceOptions): Promise<void> {
  const { store, naming, etcdPrefix } = registry;
  const stored = registry.stored('', 'services');
  const name = naming.product;
  const key = `${stored.keyPrefix}${NAMESPACE}/${name}`;
  if ((await store.get(key)) !== undefined) return;
  const ip = ranges.addresses(ranges.defaultFamily).range.at(0);
  const wanted: Service = {
    metadata: {
      name,
      namespace: NAMESPACE,
      uid: randomUUID(),
      creationTimestamp: timestamp(),
      labels: { component: 'apiserver', provider: name },
    },
    spec: {
      type: nodePort === 0 ? 'ClusterIP' : 'NodePort',
      clusterIP: ip,
      ipFamilyPolicy: 'SingleStack',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ...(nodePort === 0 ? {} : { externalTrafficPolicy: 'Cluster' }),
      ports: [
        {
          name: 'https',
          protocol: 'TCP',
          port: PORT,
          targetPort: replica.port,
          ...(nodePort === 0 ? {} : { nodePort }),
        },
      ],
    },
    status: { loadBalancer: {} },
  };
  // The fields that the server derives from the address have no owner, as in services that clients create.
  const owned = await withOwnFields(registry, stored, undefined, wanted);
  const service = { ...owned, spec: { ...owned.spec, clusterIPs: [ip], ipFamilies: [ranges.defaultFamily] } };
  const owner = { namespace: NAMESPACE, name, uid: wanted.metadata.uid! };
  const claims = [clusterIpClaims(etcdPrefix) + ip, ...(nodePort === 0 ? [] : [nodePortClaims(etcdPrefix) + nodePort])];
  const objects = ranges.addressObjects(etcdPrefix, naming);
  const shown = claims.flatMap((claim) => objects?.keyOf(claim) ?? []);
  const result = await store.transact(
    [key, ...claims, ...shown].map((absent) => ({ key: absent, revision: 0 })),
    [
      { key, value: storedValue(stored, service) },
      ...claims.map((claim) => ({ key: claim, value: claimValue(owner) })),
      ...shown.map((object) => ({ key: object, value: objects!.value(object, owner) })),
    ],
  );
  if (result.outcome === 'written') {
    await registry.cache.waitFor(result.revision, 1_000);
    return;
  }
  const [made, ...holders] = result.current;
  const taken = holders.some((holder) => holder !== undefined && !sameOwner(claimOwner(holder.value), owner));
  if (made === undefined && taken) {
    log.warn(
      { address: ip, ...(nodePort === 0 ? {} : { nodePort }) },
      'the first cluster IP, or the node port, belongs to another service: workloads cannot reach this system by it',
    );
  }
}

/** Makes the service lead to this port, unless it already leads to one of the replicas. */
async function updatePort({ registry, replica }: ApiServiceOptions, replicas: readonly Replica[]): Promise<void> {
  const stored = registry.stored('', 'services');
  const key = `${stored.keyPrefix}${NAMESPACE}/${registry.naming.product}`;
  const found = await registry.store.get(key);
  if (found === undefined) return;
  const service = JSON.parse(found.value.toString()) as Service;
  const port = service.spec?.ports?.find((candidate) => candidate.port === PORT);
  if (port === undefined || replicas.some((live) => live.port === port.targetPort)) return;
  const live = structuredClone(service);
  port.targetPort = replica.port;
  await registry.store.update(key, found.revision, await ownValue(registry, stored, live, service));
}

async function liveReplicas({ store, etcdPrefix }: Registry): Promise<Replica[]> {
  const { items } = await store.list(`${etcdPrefix}/masters/`, {});
  return items.map(({ value }) => JSON.parse(value.toString()) as Replica);
}

/** Writes the wanted content into one object, and keeps metadata of other writers. */
async function writeObject(
  registry: Registry,
  identity: { readonly group: string; readonly plural: string; readonly name: string },
  wanted: { readonly labels: Record<string, string> } | undefined,
): Promise<void> {
  const { store } = registry;
  const stored = registry.stored(identity.group, identity.plural);
  const key = `${stored.keyPrefix}${NAMESPACE}/${identity.name}`;
  const found = await store.get(key);
  if (wanted === undefined) {
    if (found !== undefined) await store.remove(key, found.revision);
    return;
  }
  const { labels, ...content } = wanted;
  const generation = identity.plural === 'endpointslices' ? { generation: 1 } : {};
  if (found === undefined) {
    const metadata = {
      name: identity.name,
      namespace: NAMESPACE,
      uid: randomUUID(),
      creationTimestamp: timestamp(),
      labels,
      ...generation,
    };
    await store.create(key, await ownValue(registry, stored, undefined, { ...content, metadata } as ApiObject));
    return;
  }
  const current = JSON.parse(found.value.toString()) as ApiObject;
  const metadata = { ...current.metadata, labels: { ...current.metadata.labels, ...labels } };
  const value = storedValue(stored, { ...content, metadata } as ApiObject);
  if (isDeepStrictEqual(JSON.parse(value.toString()), current)) return;
  if (metadata.generation !== undefined) metadata.generation += 1;
  const changed = await ownValue(registry, stored, current, { ...content, metadata } as ApiObject);
  await store.update(key, found.revision, changed);
}

/** Writes the endpoints of the service for the current replicas. */
async function writeEndpoints(registry: Registry, replicas: readonly Replica[]): Promise<void> {
  const { naming, store } = registry;
  const name = naming.product;
  await writeObject(registry, { group: '', plural: 'endpoints', name }, apiEndpoints(replicas, naming));
  const slices = apiSlices(replicas, naming);
  for (const [slice, content] of slices) {
    await writeObject(registry, { group: 'discovery', plural: 'endpointslices', name: slice }, content);
  }
  const prefix = `${registry.stored('discovery', 'endpointslices').keyPrefix}${NAMESPACE}/`;
  const { items } = await store.list(`${prefix}${name}-`, { keysOnly: true });
  for (const { key } of items) {
    const slice = key.slice(prefix.length);
    if (!sliceNames(name).test(slice) || slices.has(slice)) continue;
    await writeObject(registry, { group: 'discovery', plural: 'endpointslices', name: slice }, undefined);
  }
}

async function beat(options: ApiServiceOptions): Promise<void> {
  const { registry, replica, writesEndpoints } = options;
  if (!writesEndpoints) return ensureApiService(options);
  const value = Buffer.from(JSON.stringify(replica));
  const conditions: Condition[] = [];
  const present: Write = { key: replicaKey(registry, replica), value, ttlSeconds: TTL_SECONDS };
  await registry.store.transact(conditions, [present]);
  await ensureApiService(options);
  const replicas = await liveReplicas(registry);
  await updatePort(options, replicas);
  await writeEndpoints(registry, replicas);
}

/**
 * Keeps this replica in the endpoints of the service until the signal aborts, and then removes it. If a replica stops
 * without a signal, the others remove it when its lease ends. Resolves when all this is done. Failures are logged, and
 * the next heartbeat tries again.
 */
export async function keepApiService(options: ApiServiceOptions, signal: AbortSignal): Promise<void> {
  const { registry, replica, writesEndpoints, log } = options;
  while (!signal.aborted) {
    await beat(options).catch((error: unknown) => {
      log.warn({ err: error }, 'the endpoints of this system could not be written; the next attempt follows');
    });
    await sleep(BEAT_MS, signal);
  }
  if (!writesEndpoints) return;
  try {
    await registry.store.transact([], [{ key: replicaKey(registry, replica) }]);
    await writeEndpoints(registry, await liveReplicas(registry));
  } catch (error) {
    log.warn(
      { err: error },
      'this replica could not remove itself from the endpoints; another replica removes it soon',
    );
  }
}
