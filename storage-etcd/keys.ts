/** The key as etcd takes it. */
export function keyBytes(key: string): Buffer {
  return Buffer.from(key);
}

/** The first key after all keys that start with `prefix`; etcd's "no end" (one zero byte) if there is none. */
export function prefixEnd(prefix: string): Buffer {
  const end = Buffer.from(prefix);
  for (let i = end.length - 1; i >= 0; i--) {
    if (end[i]! < 0xff) {
      end[i]! += 1;
      return end.subarray(0, i + 1);
    }
  }
  return Buffer.from([0]);
}

/** The key right after this one. */
export function keyAfter(key: string): Buffer {
  return Buffer.from(`${key}\0`);
}

/** A Buffer over the same memory. */
export function asBuffer(value: Uint8Array): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
