/** The head of encrypted values: a word of the naming, and the kind, version and name of the encryption. */
const HEAD = /^[a-z0-9]+:enc:[a-z0-9]+:v[0-9]+:(?:[^:]{0,253}:)?/;

/** A limit in bytes. The head of every encrypted value is shorter. */
const HEAD_BYTES = 320;

/** Whether a stored value is encrypted, with any key. An object never begins like an encrypted value. */
export function isSealed(value: Buffer): boolean {
  // Objects begin with `{`, and encrypted values do not.
  return value.length > 0 && value[0] !== 0x7b && sealedWith(value) !== undefined;
}

/**
 * The prefix of an encrypted value, which names its key, such as `orch:enc:aesgcm:v1:key1:`. Undefined for a plain
 * value.
 */
export function sealedWith(value: Buffer): string | undefined {
  return HEAD.exec(value.toString('latin1', 0, Math.min(value.length, HEAD_BYTES)))?.[0];
}

/**
 * Explains why a stored value cannot be decrypted, as the end of a sentence: the `reason`, and the key of the value.
 */
export function whyNotOpened(value: Buffer, reason: string): string {
  const head = sealedWith(value);
  return head === undefined ? reason : `it is encrypted with ${head}, and ${reason}`;
}

/** The reason if no rule covers the resource. */
export const NOT_CONFIGURED = 'this replica has no encryption configuration for its resource';
