import type { Logger } from 'pino';
import { storageId } from '#schema/descriptors/storage-id.ts';
import type { ServiceCIDR } from '#schema/generated/networking.v1.ts';
import type { ServiceRanges } from '../allocation/service-ranges.ts';
import type { Registry } from '../resources/registry.ts';
import { ensureObjects } from '../verbs/ensure-objects.ts';
import { timestamp } from '../verbs/object-meta.ts';
import { ownValue } from '../verbs/own-fields.ts';

const READY = 'Ready';

/** The inputs for the object of the server's own ranges. */
export interface ServiceCidrOptions {
  readonly registry: Registry;
  readonly ranges: ServiceRanges;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * The desired object of the ranges, at a replica with these ranges. A second family is added to the first one. An
 * administrator must resolve other differences. A range without a readiness condition counts as ready.
 * @returns undefined if it stays unchanged, `other` if it has other ranges
 */
export function settledCidr(object: ServiceCIDR, cidrs: readonly string[]): ServiceCIDR | 'other' | undefined {
  const before = object.spec?.cidrs ?? [];
  const grows = cidrs.length === 2 && before.length === 1 && before[0] === cidrs[0];
  if (!grows && before.join() !== cidrs.join()) return 'other';
  const conditions = object.status?.conditions ?? [];
  const judged = conditions.some(({ type, status }) => type === READY && status !== 'Unknown');
  if (!grows && judged) return undefined;
  const rest = conditions.filter(({ type }) => type !== READY);
  return {
    ...object,
    spec: { ...object.spec, cidrs: [...cidrs] },
    status: { ...object.status, conditions: judged ? conditions : [...rest, readyCondition()] },
  };
}

function readyCondition() {
  const message = 'The range of cluster IPs of the server is ready';
  return { type: READY, status: 'True', reason: '', message, lastTransitionTime: timestamp() };
}

/** The networks of all objects that are ready and not being deleted, in the order of their names. */
export function readyNetworks(registry: Registry): readonly string[] {
  const { cache } = registry.stored('networking', 'servicecidrs');
  return cache.range('').flatMap((item) => {
    const { metadata, spec, status } = registry.cache.parsed(item) as unknown as ServiceCIDR;
    const isReady = (status?.conditions ?? []).some((one) => one.type === READY && one.status === 'True');
    return isReady && (metadata.deletionTimestamp ?? null) === null ? (spec?.cidrs ?? []) : [];
  });
}

/** Shows the operator's ranges of cluster IPs as an object, in the releases that have its kind. */
export async function ensureServiceCidr({ registry, ranges, log }: ServiceCidrOptions): Promise<void> {
  if (!ranges.showsAddresses) return;
  const stored = registry.stored('networking', 'servicecidrs');
  const name = registry.naming.product;
  const cidrs = ranges.families.map((family) => ranges.addresses(family).range.text);
  await ensureObjects(registry, stored, [
    { metadata: { name }, spec: { cidrs }, status: { conditions: [readyCondition()] } } as ServiceCIDR,
  ]);
  const found = await registry.store.get(stored.keyPrefix + name);
  if (found === undefined) return;
  const live = JSON.parse(found.value.toString()) as ServiceCIDR;
  const settled = settledCidr(live, cidrs);
  if (settled === undefined || live.metadata.deletionTimestamp !== undefined) return;
  if (settled !== 'other') {
    await registry.store.update(found.key, found.revision, await ownValue(registry, stored, live, settled));
    return;
  }
  log.warn(
    { object: `${storageId(stored.group, stored.plural)}/${name}`, says: live.spec?.cidrs, given: cidrs },
    'the ServiceCIDR object differs from --service-cluster-ip-range',
  );
}
