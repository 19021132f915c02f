import { MalformedValueError, metadataOf } from './stored-body.ts';

/**
 * An older body as its difference to a newer one: `head`, then `length` bytes of the newer body from `from` on, then
 * `tail`.
 */
export interface Delta {
  readonly head: Buffer;
  readonly from: number;
  readonly length: number;
  readonly tail: Buffer;
}

/** The size of the first steps of the search for equal bytes. */
const STEP_BYTES = 4096;

/**
 * The bytes of an older body that a newer body lacks. The common bytes begin directly after the metadata, or they reach
 * to the end. The reason is that every write changes metadata (versions, field owners), and a status write also changes
 * the last field. The large part is between them. `head` and `tail` are copies. Undefined if less than half of `older`
 * is common, or if a body is malformed.
 */
export function deltaOf(older: Buffer, newer: Buffer): Delta | undefined {
  const [start, from] = [metadataEnd(older), metadataEnd(newer)];
  if (start === undefined || from === undefined) return undefined;
  const first = sameAfter(older, start, newer, from);
  if (first >= older.length >> 1) return delta(older, start, first, from);
  const last = sameBefore(older, start, newer, from);
  if (last < older.length >> 1) return undefined;
  return delta(older, older.length - last, last, newer.length - last);
}

/** A separate copy of the older body. */
export function applyDelta({ head, from, length, tail }: Delta, newer: Buffer): Buffer {
  return Buffer.concat([head, newer.subarray(from, from + length), tail]);
}

function delta(older: Buffer, start: number, length: number, from: number): Delta {
  return { head: copyOf(older.subarray(0, start)), from, length, tail: copyOf(older.subarray(start + length)) };
}

function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
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

/** The number of equal bytes after these two positions. */
function sameAfter(older: Buffer, start: number, newer: Buffer, from: number): number {
  const most = Math.min(older.length - start, newer.length - from);
  return longest(most, (at, step) => {
    const [a, b] = [start + at, from + at];
    return older.compare(newer, b, b + step, a, a + step) === 0;
  });
}

/** The number of equal bytes before the two ends, as far back as these positions. */
function sameBefore(older: Buffer, start: number, newer: Buffer, from: number): number {
  const most = Math.min(older.length - start, newer.length - from);
  return longest(most, (at, step) => {
    const [a, b] = [older.length - at, newer.length - at];
    return older.compare(newer, b - step, b, a - step, a) === 0;
  });
}

/** The length of the equal part, at most `most`. `isSame` compares the next `step` bytes. */
function longest(most: number, isSame: (at: number, step: number) => boolean): number {
  let at = 0;
  for (let step = STEP_BYTES; step > 0; ) {
    if (at + step <= most && isSame(at, step)) at += step;
    else step >>= 1;
  }
  return at;
}
