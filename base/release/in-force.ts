import type { Lifespan, Release, ReleaseName } from './release.ts';

/** An entry of a table that only some releases have. `since`, `until` and `between` make it. */
export class Dated<T> {
  readonly value: T;
  readonly lifespan: Lifespan;

  constructor(value: T, lifespan: Lifespan) {
    this.value = value;
    this.lifespan = lifespan;
  }
}

/** An entry of a table: an entry for all releases, or an entry for some releases. */
export type Entry<T> = T | Dated<T>;

/** An entry for a release and all later ones: `since('1.29', rule)`. */
export function since<T>(release: ReleaseName, value: T): Dated<T> {
  return new Dated(value, { since: release });
}

/** An entry for the releases before the named one: `until('1.29', rule)`. */
export function until<T>(release: ReleaseName, value: T): Dated<T> {
  return new Dated(value, { until: release });
}

/**
 * An entry for the releases from `first` until just before `end`.
 *
 * @example between('1.26', '1.29', 'v1beta2') // the releases 1.26, 1.27 and 1.28 have it
 */
export function between<T>(first: ReleaseName, end: ReleaseName, value: T): Dated<T> {
  return new Dated(value, { since: first, until: end });
}

/**
 * The entries of a table for a release, in order. Callers compute them once, before they use the table.
 * @example inForce(releaseOf('1.28'), ['a', since('1.29', 'b'), until('1.29', 'c')]) // => ['a', 'c']
 */
export function inForce<T>(release: Release, entries: readonly Entry<T>[]): T[] {
  return entries.flatMap((entry) => {
    if (!(entry instanceof Dated)) return [entry];
    return release.serves(entry.lifespan) ? [entry.value] : [];
  });
}
