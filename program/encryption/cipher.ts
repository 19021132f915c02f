/** A value, or a promise if another service must first give the key. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * One way to encrypt values. `path` is the key of a value in the store. A cipher that authenticates binds the value to
 * its path, so a value that was moved to another key cannot be decrypted.
 */
export interface Cipher {
  seal(plain: Buffer, path: Buffer): MaybePromise<Buffer>;
  /** The plain value. Throws, or rejects, if this cipher cannot decrypt it. */
  open(sealed: Buffer, path: Buffer): MaybePromise<Buffer>;
  /** Whether `seal` would now use a different key than the key of this value. */
  isStale?(sealed: Buffer): boolean;
}

/** The error about a value that cannot be decrypted. The message contains the reason, and no part of the value. */
export class NotOpenedError extends Error {
  override readonly name = 'NotOpenedError';
}
