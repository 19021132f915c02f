import { randomFillSync } from 'node:crypto';

/** How many nonces are made at once. Random bytes for one nonce at a time would cost as much as the encryption. */
const AHEAD = 128;

/** Makes random nonces of this many bytes. Each is valid until {@link AHEAD} more have been made. */
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
