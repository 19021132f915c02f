import type { Revision } from '#storage/object-store.ts';

/** The largest number of changes of one revision: places 0 to 255. */
const PLACES = 256;

/** The id of a change. Ids are in the order of revisions, and within a revision in the order of its changes. */
export function idOf(revision: Revision, place: number): number {
  return revision * PLACES + place;
}

/** The revision that a change belongs to. */
export function revisionOf(id: number): Revision {
  return Math.floor(id / PLACES);
}

/** The last id that a change of this revision can have. */
export function lastIdOf(revision: Revision): number {
  return revision * PLACES + PLACES - 1;
}

const LAST_CODE_POINT = 0x10_ff_ff;
const FIRST_SURROGATE = 0xd8_00;
const AFTER_SURROGATES = 0xe0_00;

/**
 * The first key after all keys that start with `prefix`, in the order of code points. This is also the order of UTF-8.
 * If there is no such key, the result is a text after all keys.
 *
 * @example
 * prefixEnd('/registry/'); // => '/registry0'
 */
export function prefixEnd(prefix: string): string {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last < LAST_CODE_POINT) {
      const next = last + 1 === FIRST_SURROGATE ? AFTER_SURROGATES : last + 1;
      return String.fromCodePoint(...points, next);
    }
  }
  return String.fromCodePoint(LAST_CODE_POINT).repeat(2);
}

/** The key right after this one. */
export function keyAfter(key: string): string {
  return `${key}\0`;
}
