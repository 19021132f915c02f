/** A promise only if the key must be fetched from another service. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * One way to encrypt values. `path` is the key of a value in the store. A cipher that authenticates binds the value to
 * its path, so a value that was moved to another key cannot be decrypted.
 */
export interface Cipher {
  seal(plain: Buffer, path: Buffer): MaybePromise<Buffer>;
  /** The plain value. Throws, or rejects, if this cipher cannot decrypt it. */
  open(sealed: Buffer, path: Buffer): MaybePromise<Buffer>;
  /** Whether `seal` would now use another key than that of a value. */
  isStale?(sealed: Buffer): boolean;
}

/** A value that cannot be opened; the message contains the reason, and nothing of the value. */
export class NotOpenedError extends Error {
  override readonly name = 'NotOpenedError';
}
