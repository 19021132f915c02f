import { CommandError } from '../../framework/errors.ts';
import { exactNumber } from '../../output/exact-number.ts';
import { evaluate, goTypeOf } from '../../output/jsonpath/evaluate.ts';
import type { Node } from '../../output/jsonpath/parse.ts';
import { relaxedPath } from '../../output/jsonpath/relaxed.ts';
import { naturalOrder } from './natural-order.ts';

/**
 * Sorts objects (or items for which `of` returns the object) by the field that a JSONPath names. Objects without the
 * field come first, in reverse order.
 * @param parsed the parsed path, if it is more than the path of a field
 * @throws CommandError if no object has the field, UnsortableError if its values cannot be compared
 */
export function sortByPath<T>(
  items: T[],
  path: string,
  of: (item: T) => unknown = (item) => item,
  parsed: readonly Node[] = relaxedPath(path),
): void {
  const keyed = items.map((item, at) => ({ item, at, key: evaluate(parsed, of(item), true)[0]?.[0] }));
  if (items.length > 0 && keyed.every(({ key }) => key === undefined))
    throw new CommandError(
      `couldn't find any field with path "{.${/^\{?\.?(.*?)\}?$/.exec(path)![1]}}" in the list of objects`,
    );
  keyed.sort((a, b) => (a.key === undefined && b.key === undefined ? b.at - a.at : compare(a.key, b.key, path)));
  keyed.forEach(({ item }, at) => {
    items[at] = item;
  });
}

/** Values that cannot be compared with each other. */
export class UnsortableError extends CommandError {}

function compare(a: unknown, b: unknown, path: string): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  const [typeA, typeB] = [goTypeOf(a), goTypeOf(b)];
  const [type] = [typeA, typeB].filter((each) => !['string', 'int64', 'float64'].includes(each));
  if (type !== undefined) throw new UnsortableError(`cannot sort by field "${path}": unsortable type: ${type}`);
  if (typeA !== typeB)
    throw new UnsortableError(`cannot sort by field "${path}": it is of several types: ${typeA}, ${typeB}`);
  if (typeof a === 'string' && typeof b === 'string') {
    const [x, y] = [quantity(a), quantity(b)];
    if (x !== undefined && y !== undefined) return x - y;
    return naturalOrder(a, b);
  }
  const [x, y] = [exactNumber(a) ?? 0, exactNumber(b) ?? 0];
  return x < y ? -1 : x > y ? 1 : 0;
}

const SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['n', 1e-9],
  ['u', 1e-6],
  ['m', 1e-3],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
  ['P', 1e15],
  ['E', 1e18],
  ['Ki', 2 ** 10],
  ['Mi', 2 ** 20],
  ['Gi', 2 ** 30],
  ['Ti', 2 ** 40],
  ['Pi', 2 ** 50],
  ['Ei', 2 ** 60],
]);

/** The number of a quantity such as `100m`, `2Gi` or `1e3`. */
function quantity(text: string): number | undefined {
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))([eE][+-]?\d+|[a-zA-Z]*)$/.exec(text);
  if (match === null) return undefined;
  const [, digits = '', suffix = ''] = match;
  if (/\d/.test(suffix)) return Number(digits + suffix);
  const factor = SUFFIXES.get(suffix);
  return factor === undefined ? undefined : Number(digits) * factor;
}
