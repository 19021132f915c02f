import type { FamilyValues, Join, SeriesValues } from './family-definition.ts';

const JOINS: Readonly<Record<Join, (a: number, b: number) => number>> = Object.assign(Object.create(null), {
  sum: (a: number, b: number) => a + b,
  min: Math.min,
  max: Math.max,
  first: (a: number) => a,
});

/** Combines the values of several processes into one value for each series, by the rule of the family. */
export function joinValues(all: readonly (readonly FamilyValues[])[]): FamilyValues[] {
  const joined = new Map<string, { family: FamilyValues['family']; series: Map<string, SeriesValues> }>();
  for (const { family, series } of all.flat()) {
    const join = JOINS[family.join ?? 'sum'];
    let into = joined.get(family.name);
    if (into === undefined) joined.set(family.name, (into = { family, series: new Map() }));
    for (const [values, numbers] of series) {
      const key = values.join('\0');
      const before = into.series.get(key);
      into.series.set(key, [
        values,
        before === undefined ? numbers : numbers.map((n, i) => join(before[1][i] ?? 0, n)),
      ]);
    }
  }
  const byName = [...joined.values()].sort((a, b) => (a.family.name < b.family.name ? -1 : 1));
  return byName.map(({ family, series }) => ({
    family,
    series: [...series.keys()].sort().map((key) => series.get(key)!),
  }));
}
