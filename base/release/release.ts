/** A release of the interface as tables and `proto/` name it: `1.29`. */
export type ReleaseName = `1.${number}`;

/** The releases with a feature: `since` and later, and before `until`. An absent bound does not limit. */
export interface Lifespan {
  /** The first release that has it. */
  readonly since?: ReleaseName | undefined;
  /** The first release that no longer has it. */
  readonly until?: ReleaseName | undefined;
}

/**
 * The release of the interface that a program speaks. It is fixed at start, like the naming. Tables and descriptors
 * leave out once what a release lacks (`inForce` in in-force.ts), so that requests need no check. `releaseOf` and
 * `parseRelease` return it. There is one object for each release, so two releases can be compared with `===`.
 */
export interface Release {
  /** The name, such as `1.29`. */
  readonly name: ReleaseName;
  /** The major number, which is always 1. */
  readonly major: number;
  readonly minor: number;
  /** The version with the last known patch, as clients read it: `v1.25.16`. */
  readonly gitVersion: string;
  /**
   * Whether this is the release with that number or a later one.
   * @param minor the number after the dot: 29 for 1.29
   */
  atLeast(minor: number): boolean;
  /**
   * Whether this release has a feature with that lifespan.
   * @throws Error if a text names no release, which is a mistake in a table
   */
  serves(lifespan: Lifespan): boolean;
}

/** The last published patch of each release. */
const PATCHES: readonly (readonly [minor: number, patch: number])[] = [
  [25, 16],
  [26, 15],
  [27, 16],
  [28, 15],
  [29, 15],
  [30, 14],
  [31, 14],
  [32, 13],
  [33, 13],
  [34, 13],
  [35, 10],
  [36, 6],
  [37, 2],
];

/**
 * The number after the dot of a release in a table or in `proto/`. The release may be earlier than the selectable ones.
 * @throws Error if a text names no release, which is a mistake in a table
 * @example minorOf('1.29') // => 29
 */
export function minorOf(name: string): number {
  const digits = /^1\.(0|[1-9]\d?)$/.exec(name)?.[1];
  if (digits === undefined) throw new Error(`${name} is not the name of a release`);
  return Number(digits);
}

function makeRelease(minor: number, patch: number): Release {
  return Object.freeze({
    name: `1.${minor}`,
    major: 1,
    minor,
    gitVersion: `v1.${minor}.${patch}`,
    atLeast: (other: number) => minor >= other,
    serves: ({ since, until }: Lifespan) =>
      (since === undefined || minor >= minorOf(since)) && (until === undefined || minor < minorOf(until)),
  });
}

/** The releases that a program can speak, from the first to the last. */
export const releases: readonly Release[] = PATCHES.map(([minor, patch]) => makeRelease(minor, patch));

const byName: ReadonlyMap<string, Release> = new Map(releases.map((release) => [release.name, release]));

/** The release that programs use by default. */
export const defaultRelease: Release = releases[0]!;

/** The last release that programs can speak. */
export const latestRelease: Release = releases.at(-1)!;

/**
 * The release with a name that code or a table contains.
 * @throws Error if no program supports the release, which is a programming error
 * @example releaseOf('1.29').atLeast(28) // => true
 */
export function releaseOf(name: ReleaseName): Release {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`no program speaks release ${name}`);
  return found;
}

/** The release that a text from outside names, `1.29` or `v1.29`; undefined if no program supports it. */
export function findRelease(text: string): Release | undefined {
  return byName.get(text.startsWith('v') ? text.slice(1) : text);
}
