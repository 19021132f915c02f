import { type Cipher, type MaybePromise, NotOpenedError } from './cipher.ts';
import type { EncryptionMetrics } from './encryption-metrics.ts';
import { isSealed } from './sealed-value.ts';
import type { WritesUnderWay } from './writes-under-way.ts';

/** One key of a provider, or a plug-in. */
export interface Sealer {
  /** The prefix of its values; empty for values without encryption. */
  readonly head: Buffer;
  /** `head` without the name of the key, for metrics. */
  readonly label: string;
  /** Undefined means that values are not encrypted. */
  readonly cipher: Cipher | undefined;
}

/** How the values of some resources are stored. The first sealer encrypts, and all of them decrypt. */
export class Sealing {
  /** The writes in progress whose values the same rule of the configuration encrypts. */
  readonly underWay: WritesUnderWay;
  readonly #sealers: readonly Sealer[];
  readonly #metrics: EncryptionMetrics;

  constructor(sealers: readonly Sealer[], underWay: WritesUnderWay, metrics: EncryptionMetrics) {
    this.underWay = underWay;
    this.#sealers = sealers;
    this.#metrics = metrics;
  }

  /** The stored form of the value. Throws or rejects if a plug-in does not give a key. */
  seal(plain: Buffer, path: Buffer): MaybePromise<Buffer> {
    const { head, label, cipher } = this.#sealers[0]!;
    if (cipher === undefined) return plain;
    const began = performance.now();
    const done = (sealed: Buffer): Buffer => {
      this.#metrics.done('to_storage', label, true, began);
      return Buffer.concat([head, sealed]);
    };
    const failed = (error: unknown): never => {
      this.#metrics.done('to_storage', label, false, began);
      throw error;
    };
    let sealed: MaybePromise<Buffer>;
    try {
      sealed = cipher.seal(plain, path);
    } catch (error) {
      return failed(error);
    }
    return sealed instanceof Promise ? sealed.then(done, failed) : done(sealed);
  }

  /** The plain value. Throws, or rejects, with the reason if no key decrypts it. */
  open(value: Buffer, path: Buffer): MaybePromise<Buffer> {
    const sealers = this.#sealers.filter(({ head, cipher }) => cipher !== undefined && startsWith(value, head));
    if (sealers.length === 0) {
      if (!isSealed(value)) {
        if (this.#sealers.some(({ cipher }) => cipher === undefined)) return value;
        this.#metrics.done('from_storage', 'identity', false, performance.now());
        throw new NotOpenedError('it is not encrypted, and the configuration does not name "identity" as a provider');
      }
      this.#metrics.done('from_storage', 'unknown', false, performance.now());
      throw new NotOpenedError('no provider has its key');
    }
    return this.#openWith(sealers, 0, value, path);
  }

  /** Whether a value would be stored in another form today. Rejects if it cannot be decrypted. */
  async isStale(value: Buffer, path: Buffer): Promise<boolean> {
    const { head, cipher } = this.#sealers[0]!;
    if (cipher === undefined) return isSealed(value);
    if (!startsWith(value, head)) return true;
    const sealed = value.subarray(head.length);
    try {
      await cipher.open(sealed, path);
    } catch {
      // two keys may have the same name: an old key and its successor
      return true;
    }
    return cipher.isStale?.(sealed) === true;
  }

  #openWith(sealers: readonly Sealer[], at: number, value: Buffer, path: Buffer): MaybePromise<Buffer> {
    const { head, label, cipher } = sealers[at]!;
    const began = performance.now();
    const done = (plain: Buffer): Buffer => {
      this.#metrics.done('from_storage', label, true, began);
      return plain;
    };
    const failed = (error: unknown): MaybePromise<Buffer> => {
      if (at + 1 < sealers.length) return this.#openWith(sealers, at + 1, value, path);
      this.#metrics.done('from_storage', label, false, began);
      throw error;
    };
    let plain: MaybePromise<Buffer>;
    try {
      plain = cipher!.open(value.subarray(head.length), path);
    } catch (error) {
      return failed(error);
    }
    return plain instanceof Promise ? plain.then(done, failed) : done(plain);
  }
}

function startsWith(value: Buffer, head: Buffer): boolean {
  return value.length >= head.length && value.compare(head, 0, head.length, 0, head.length) === 0;
}
