import { table, tableOf } from '#base/collections/own-properties.ts';
import { parseQuantity, type Quantity } from './quantity.ts';

/** Amounts by resource name. */
export type Usage = Readonly<Record<string, Quantity>>;
/** Amounts in the form of objects. */
export type Amounts = Readonly<Record<string, string>>;

export function readUsage(amounts: Amounts | null | undefined): Usage {
  return tableOf(Object.entries(amounts ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

export function writeUsage(usage: Usage): Record<string, string> {
  return Object.fromEntries(Object.entries(usage).map(([name, amount]) => [name, amount.toString()]));
}

export function addUsage(a: Usage, b: Usage): Usage {
  return addTo(table(a), b);
}

/** Adds amounts to a table, which must inherit nothing. So the sum of many tables takes one step for each amount. */
export function addTo(sum: Record<string, Quantity>, more: Usage): Record<string, Quantity> {
  for (const [name, amount] of Object.entries(more)) sum[name] = sum[name]?.add(amount) ?? amount;
  return sum;
}

/** Raises the amounts of a table to those of another table that are larger. The table must inherit nothing. */
export function raiseTo(most: Record<string, Quantity>, other: Usage): Record<string, Quantity> {
  for (const [name, amount] of Object.entries(other)) {
    if (most[name] === undefined || most[name].compare(amount) < 0) most[name] = amount;
  }
  return most;
}

/** The amounts by which `a` exceeds `b`. Names without such an amount are left out. */
export function excess(a: Usage, b: Usage): Usage {
  const rest = Object.entries(a).map(([name, amount]) => {
    const other = b[name];
    return [name, other === undefined ? amount : amount.subtract(other)] as const;
  });
  return tableOf(rest.filter(([, amount]) => amount.sign > 0));
}

/** A new table of some of the amounts. */
export function pick(usage: Usage, names: readonly string[]): Record<string, Quantity> {
  return tableOf(names.flatMap((name) => (usage[name] === undefined ? [] : [[name, usage[name]] as const])));
}

/** A text with sorted names: `cpu=1,pods=2`. */
export function shownUsage(usage: Usage): string {
  return Object.keys(usage)
    .sort()
    .map((name) => `${name}=${usage[name]}`)
    .join(',');
}
