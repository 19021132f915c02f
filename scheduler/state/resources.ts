import { parseQuantity, type Quantity } from '#schema/values/quantity.ts';
import type { Amounts, Usage } from '#schema/values/usage.ts';

/** Amounts by the name of the resource: `cpu` in thousandths, and all others in their unit. */
export type Resources = ReadonlyMap<string, number>;

/**
 * The assumed usage of a container without requests, for comparisons of nodes, in thousandths of a processor and in
 * bytes.
 */
const LEAST_CPU = 100;
const LEAST_MEMORY = 200 * 1024 * 1024;

function amountOf(name: string, quantity: Quantity): number {
  return Number(name === 'cpu' ? quantity.milliValue() : quantity.value());
}

/** The amounts in a list such as `allocatable` of a node. */
export function readResources(amounts: Amounts | null | undefined): Resources {
  return new Map(Object.entries(amounts ?? {}).map(([name, text]) => [name, amountOf(name, parseQuantity(text))]));
}

/** The amounts in the sum of requests of pods or containers. */
export function resourcesOf(usage: Usage): Resources {
  return new Map(Object.entries(usage).map(([name, quantity]) => [name, amountOf(name, quantity)]));
}

/** The amounts of a pod for comparisons of nodes. A container without requests also counts. */
export interface Weight {
  readonly cpu: number;
  readonly memory: number;
}

/** @param requests the requests of each container of the pod */
export function weightOf(requests: readonly (Amounts | null | undefined)[]): Weight {
  let [cpu, memory] = [0, 0];
  for (const one of requests) {
    const read = readResources(one);
    cpu += read.get('cpu') ?? LEAST_CPU;
    memory += read.get('memory') ?? LEAST_MEMORY;
  }
  return { cpu, memory };
}
