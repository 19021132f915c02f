import { MalformedValueError, metadataOf } from './stored-body.ts';

/** Bytes that are the same in an older and a newer body: `older[start, end)` is what the newer one has from `from` on. */
export interface SharedRun {
  readonly start: number;
  readonly end: number;
  readonly from: number;
}

/** In what steps runs are made longer at first. */
const STEP_BYTES = 4096;

/**
 * The bytes that the served bodies of two revisions of one object have in common from the end of their metadata on, or
 * before their end; undefined where that is less than half of `older`, or one of them cannot be read. Every write changes
 * metadata (versions, owners of fields), and that of a status what comes last: what is large lies between them.
 */
export function sharedRun(older: Buffer, newer: Buffer): SharedRun | undefined {
  const [start, from] = [metadataEnd(older), metadataEnd(newer)];
  if (start === undefined || from === undefined) return undefined;
  const first = sameAfter(older, start, newer, from);
  if (first >= older.length >> 1) return { start, end: start + first, from };
  const last = sameBefore(older, start, newer, from);
  if (last < older.length >> 1) return undefined;
  return { start: older.length - last, end: older.length, from: newer.length - last };
}

function metadataEnd(body: Buffer): number | undefined {
  try {
    const metadata = metadataOf(body);
    return metadata.byteOffset - body.byteOffset + metadata.length;
  } catch (error) {
    if (error instanceof MalformedValueError) return undefined;
    throw error;
  }
}

/** How many bytes are the same from these places on. */
function sameAfter(older: Buffer, start: number, newer: Buffer, from: number): number {
  const most = Math.min(older.length - start, newer.length - from);
  return longest(most, (at, step) => {
    const [a, b] = [start + at, from + at];
    return older.compare(newer, b, b + step, a, a + step) === 0;
  });
}

/** How many bytes are the same before the ends, down to these places. */
function sameBefore(older: Buffer, start: number, newer: Buffer, from: number): number {
  const most = Math.min(older.length - start, newer.length - from);
  return longest(most, (at, step) => {
    const [a, b] = [older.length - at, newer.length - at];
    return older.compare(newer, b - step, b, a - step, a) === 0;
  });
}

/** How far one can go where `isSame` says whether the next `step` bytes are the same, `most` at the most. */
function longest(most: number, isSame: (at: number, step: number) => boolean): number {
  let at = 0;
  for (let step = STEP_BYTES; step > 0; ) {
    if (at + step <= most && isSame(at, step)) at += step;
    else step >>= 1;
  }
  return at;
}
