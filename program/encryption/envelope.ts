import { randomBytes } from 'node:crypto';
import { BoundedCache } from '#base/collections/bounded-cache.ts';
import { aesCbc } from './aes-cbc.ts';
import { aesGcm } from './aes-gcm.ts';
import { type Cipher, type MaybePromise, NotOpenedError } from './cipher.ts';
import type { EncryptionMetrics } from './encryption-metrics.ts';
import { encodeFields, Fields } from './kms-messages.ts';
import { type KmsPlugin, PluginDownError, type WrappedKey } from './kms-plugin.ts';

/** The form in which a value and its wrapped data key are stored together. */
export interface EnvelopeForm {
  join(key: WrappedKey, sealed: Buffer): Buffer;
  /**
   * @throws NotOpenedError
   */
  part(value: Buffer): { readonly key: WrappedKey; readonly sealed: Buffer };
  /** The ciphers of a data key. The first one encrypts. The others only decrypt. */
  ciphers(dataKey: Buffer): readonly Cipher[];
}

const NO_ANNOTATIONS = new Map<string, Buffer>();

/**
 * The first form: two bytes of length, the wrapped key, the value. Releases before 1.25 of this interface encrypted
 * with AES-CBC. Such values can still be decrypted.
 */
export const formV1: EnvelopeForm = {
  join(key, sealed) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(key.bytes.length);
    return Buffer.concat([length, key.bytes, sealed]);
  },
  part(value) {
    const end = value.length < 2 ? Number.POSITIVE_INFINITY : 2 + value.readUInt16BE(0);
    if (value.length < end || end === 2) throw new NotOpenedError('its data key is not whole');
    const bytes = Buffer.from(value.subarray(2, end));
    return { key: { bytes, keyId: '', annotations: NO_ANNOTATIONS }, sealed: value.subarray(end) };
  },
  ciphers: (dataKey) => [aesGcm(dataKey), aesCbc(dataKey)],
};

/** The second form: a protobuf message of the value, the id of the plug-in's key, the wrapped key and annotations. */
export const formV2: EnvelopeForm = {
  join: ({ bytes, keyId, annotations }, sealed) => encodeFields({ 1: sealed, 2: keyId, 3: bytes, 4: annotations }),
  part(value) {
    let fields: Fields;
    try {
      fields = new Fields(value);
    } catch {
      throw new NotOpenedError('it is not whole');
    }
    const key = { bytes: fields.bytes(3), keyId: fields.text(2), annotations: fields.annotations(4) };
    if (key.bytes.length === 0) throw new NotOpenedError('it has no data key');
    return { key, sealed: fields.bytes(1) };
  },
  ciphers: (dataKey) => [aesGcm(dataKey)],
};

/**
 * The time in milliseconds, and the number of values, for which a data key is used. So a write need not wait for the
 * plug-in, and writes continue for this time while the plug-in does not answer. After a rotation, the new key is in use
 * within this time.
 */
const USED_MS = 60_000;
const USED_TIMES = 100_000;

/** How long the plug-in is not asked about other data keys after a failure, in milliseconds. */
const REST_MS = 500;

interface DataKey {
  readonly wrapped: WrappedKey;
  readonly cipher: Cipher;
  readonly madeAt: number;
  uses: number;
}

export interface EnvelopeOptions {
  /** How many data keys are kept; 0 or less for no limit. */
  readonly cacheSize: number;
  readonly metrics: EncryptionMetrics;
  readonly now?: () => number;
}

/** Values encrypted with data keys, which a plug-in encrypts. */
export class Envelope implements Cipher {
  readonly #plugin: KmsPlugin;
  readonly #form: EnvelopeForm;
  readonly #metrics: EncryptionMetrics;
  readonly #now: () => number;
  readonly #size: number;
  readonly #known: BoundedCache<string, readonly Cipher[]>;
  readonly #asked = new Map<string, Promise<readonly Cipher[]>>();
  #writing: DataKey | undefined;
  #making: Promise<DataKey> | undefined;
  #keyId: string | undefined;
  #failed: { readonly at: number; readonly error: unknown } | undefined;

  constructor(plugin: KmsPlugin, form: EnvelopeForm, { cacheSize, metrics, now }: EnvelopeOptions) {
    this.#plugin = plugin;
    this.#form = form;
    this.#metrics = metrics;
    this.#now = now ?? (() => performance.now());
    this.#size = cacheSize > 0 ? cacheSize : Number.POSITIVE_INFINITY;
    this.#known = new BoundedCache(this.#size);
  }

  seal(plain: Buffer, path: Buffer): MaybePromise<Buffer> {
    const key = this.#writing;
    const age = key === undefined ? 0 : this.#now() - key.madeAt;
    if (key !== undefined && age < USED_MS && key.uses < USED_TIMES && this.#isCurrent(key)) {
      return this.#sealWith(key, plain, path);
    }
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making.then((made) => this.#sealWith(made, plain, path));
  }

  open(value: Buffer, path: Buffer): MaybePromise<Buffer> {
    const { key, sealed } = this.#form.part(value);
    const id = idOf(key);
    const known = this.#known.get(id);
    return known === undefined
      ? this.#ask(id, key).then((ciphers) => openWith(ciphers, sealed, path))
      : openWith(known, sealed, path);
  }

  isStale(value: Buffer): boolean {
    return this.#keyId !== undefined && this.#form.part(value).key.keyId !== this.#keyId;
  }

  /** Asks the plug-in for its health. Resolves to the problem, or to undefined. */
  async check(): Promise<string | undefined> {
    try {
      const keyId = await this.#plugin.check();
      if (keyId !== '') this.#keyId = keyId;
      this.#failed = undefined;
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  close(): void {
    this.#plugin.close();
  }

  #isCurrent({ wrapped }: DataKey): boolean {
    return this.#keyId === undefined || wrapped.keyId === this.#keyId;
  }

  #sealWith(key: DataKey, plain: Buffer, path: Buffer): Buffer {
    key.uses++;
    return this.#form.join(key.wrapped, key.cipher.seal(plain, path) as Buffer);
  }

  async #make(): Promise<DataKey> {
    const done = this.#metrics.makingDataKey();
    try {
      const dataKey = randomBytes(32);
      const wrapped = await this.#plugin.wrap(dataKey);
      if (wrapped.bytes.length === 0 || wrapped.bytes.length > 0xffff)
        throw new Error('the KMS plug-in answered with no data key, or one of more than 64 KiB');
      const ciphers = this.#form.ciphers(dataKey);
      this.#remember(idOf(wrapped), ciphers);
      if (wrapped.keyId !== '') this.#keyId = wrapped.keyId;
      this.#writing = { wrapped, cipher: ciphers[0]!, madeAt: this.#now(), uses: 0 };
      done(true);
      return this.#writing;
    } catch (error) {
      done(false);
      throw error;
    }
  }

  #ask(id: string, key: WrappedKey): Promise<readonly Cipher[]> {
    let asked = this.#asked.get(id);
    if (asked === undefined) {
      asked = this.#unwrap(id, key).finally(() => this.#asked.delete(id));
      this.#asked.set(id, asked);
    }
    return asked;
  }

  async #unwrap(id: string, key: WrappedKey): Promise<readonly Cipher[]> {
    this.#metrics.dataKeyMissing();
    const { at, error } = this.#failed ?? { at: Number.NEGATIVE_INFINITY, error: undefined };
    if (this.#now() - at < REST_MS) throw error;
    let dataKey: Buffer;
    try {
      dataKey = await this.#plugin.unwrap(key);
    } catch (failure) {
      // a key that the plug-in does not know is not a sign of problems with other keys
      if (failure instanceof PluginDownError) this.#failed = { at: this.#now(), error: failure };
      throw failure;
    }
    if (![16, 24, 32].includes(dataKey.length)) throw new NotOpenedError('its data key is none of AES');
    const ciphers = this.#form.ciphers(dataKey);
    this.#remember(id, ciphers);
    return ciphers;
  }

  #remember(id: string, ciphers: readonly Cipher[]): void {
    this.#known.set(id, ciphers);
    this.#metrics.dataKeysKept(this.#known.size / this.#size);
  }
}

function idOf({ bytes, keyId }: WrappedKey): string {
  return `${keyId}\0${bytes.toString('latin1')}`;
}

function openWith(ciphers: readonly Cipher[], sealed: Buffer, path: Buffer): Buffer {
  let first: unknown;
  for (const cipher of ciphers) {
    try {
      return cipher.open(sealed, path) as Buffer;
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}
