import { randomFillSync } from 'node:crypto';

/** Random bytes for this many nonces are made at once: asking for them one by one costs as much as encrypting. */
const AHEAD = 128;

/** Makes random nonces of some bytes; each is good until {@link AHEAD} more have been asked for. */
export function nonces(bytes: number): () => Buffer {
  const pool = Buffer.alloc(bytes * AHEAD);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += bytes;
    return pool.subarray(used - bytes, used);
  };
}
