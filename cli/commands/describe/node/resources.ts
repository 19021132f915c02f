import type { Container, Pod } from '#schema/generated/core.v1.ts';
import { parseQuantity, Quantity } from '#schema/values/quantity.ts';

export type Amounts = ReadonlyMap<string, Quantity>;

type Side = 'requests' | 'limits';

const ZERO = Quantity.of(0);

/**
 * The requests or the limits of a pod. For each resource, this is the sum of its containers, or the largest amount of
 * one init container if that is more. The overhead of the pod is added.
 */
export function amountsOf({ spec }: Pod, side: Side): Amounts {
  const sums = new Map<string, Quantity>();
  for (const container of spec?.containers ?? [])
    for (const [name, amount] of amountsIn(container, side)) addTo(sums, name, amount);
  for (const container of spec?.initContainers ?? [])
    for (const [name, amount] of amountsIn(container, side))
      if (amount.compare(sums.get(name) ?? ZERO) > 0 || !sums.has(name)) sums.set(name, amount);
  for (const [name, text] of Object.entries(spec?.overhead ?? {}))
    if (side === 'requests' || (sums.get(name)?.isZero ?? true) === false) addTo(sums, name, parseQuantity(text));
  return sums;
}

function amountsIn({ resources }: Container, side: Side): [string, Quantity][] {
  return Object.entries(resources?.[side] ?? {}).map(([name, text]) => [name, parseQuantity(text)]);
}

/** Adds an amount to the sum with its name. */
export function addTo(sums: Map<string, Quantity>, name: string, amount: Quantity): void {
  const before = sums.get(name);
  sums.set(name, before === undefined ? amount : before.add(amount));
}

/** An amount of a resource, and its share of the whole: `500m (12%)`. */
export function shareText(name: string, amount: Quantity = ZERO, all: Quantity = ZERO): string {
  const size = (quantity: Quantity) => (name === 'cpu' ? quantity.milliValue() : quantity.value());
  return `${amount} (${all.isZero ? 0n : (size(amount) * 100n) / size(all)}%)`;
}
