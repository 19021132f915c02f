import { CommandError } from '../frame/errors.ts';
import { evaluate } from '../output/jsonpath/evaluate.ts';
import { relaxedPath } from '../output/jsonpath/relaxed.ts';

/** Sorts objects (or what `of` takes from them) by the field that a JSONPath names; what lacks it comes first. */
export function sortByPath<T>(items: T[], path: string, of: (item: T) => unknown = (item) => item): void {
  const parsed = relaxedPath(path);
  const keyed = items.map((item) => ({ item, key: evaluate(parsed, of(item), true)[0]?.[0] }));
  if (items.length > 0 && keyed.every(({ key }) => key === undefined))
    throw new CommandError(
      `couldn't find any field with path "{.${/^\{?\.?(.*?)\}?$/.exec(path)![1]}}" in the list of objects`,
    );
  keyed.sort((a, b) => compare(a.key, b.key));
  keyed.forEach(({ item }, at) => {
    items[at] = item;
  });
}

function compare(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  if (typeof a === 'string' && typeof b === 'string') {
    const [x, y] = [quantity(a), quantity(b)];
    if (x !== undefined && y !== undefined) return x - y;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  const [x, y] = [Number(a), Number(b)];
  return x - y;
}

const SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['', 1],
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

/** The number of a quantity such as `100m` or `2Gi`. */
function quantity(text: string): number | undefined {
  const match = /^([+-]?\d+(?:\.\d+)?)([a-zA-Z]*)$/.exec(text);
  const factor = match === null ? undefined : SUFFIXES.get(match[2]!);
  return factor === undefined ? undefined : Number(match![1]) * factor;
}
