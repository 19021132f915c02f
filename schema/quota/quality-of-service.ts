import type { PodSpec } from '../generated/core.v1.ts';
import { parseQuantity } from '../values/quantity.ts';

export type QualityOfService = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** The resources that count. */
const COMPUTE = ['cpu', 'memory'];

/**
 * How sure a pod can be of its resources: `Guaranteed` when every container is limited in processor and memory and
 * requests as much as its limits, `BestEffort` when none asks for anything.
 */
export function qualityOfService(spec: PodSpec): QualityOfService {
  const requests = new Map<string, bigint>();
  const limits = new Map<string, bigint>();
  let limited = true;
  for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    add(requests, resources?.requests);
    limited = add(limits, resources?.limits) === COMPUTE.length && limited;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const equal = COMPUTE.every((name) => requests.get(name) === limits.get(name));
  return limited && equal ? 'Guaranteed' : 'Burstable';
}

/** Adds amounts above zero to sums; says how many there were. */
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
