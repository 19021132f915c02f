import type { PodSpec } from '../generated/core.v1.ts';
import { parseQuantity } from '../values/quantity.ts';

export type QualityOfService = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** The resources that decide the class. */
const COMPUTE = ['cpu', 'memory'];

/**
 * The quality-of-service class of a pod. It is `Guaranteed` if every container has limits for processor and memory and
 * requests equal to them, and `BestEffort` if no container has requests or limits.
 */
export function qualityOfService(spec: PodSpec): QualityOfService {
  const requests = new Map<string, bigint>();
  const limits = new Map<string, bigint>();
  let limited = true;
  // If the pod as a whole has resources, they count. Otherwise the sum of its containers counts.
  const parts = spec.resources == null ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])] : [spec];
  for (const { resources } of parts) {
    add(requests, resources?.requests);
    limited = add(limits, resources?.limits) === COMPUTE.length && limited;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const equal = COMPUTE.every((name) => requests.get(name) === limits.get(name));
  return limited && equal ? 'Guaranteed' : 'Burstable';
}

/** Adds amounts above zero to sums. Returns the number of these amounts. */
function add(sums: Map<string, bigint>, amounts: Readonly<Record<string, string>> | null | undefined): number {
  let count = 0;
  for (const name of COMPUTE) {
    const nanos = parseQuantity(amounts?.[name] ?? '0').nanos;
    if (nanos <= 0n) continue;
    sums.set(name, (sums.get(name) ?? 0n) + nanos);
    count++;
  }
  return count;
}
