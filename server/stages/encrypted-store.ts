import type { MaybePromise } from '#program/encryption/cipher.ts';
import { isSealed, whyNotOpened } from '#program/encryption/sealed-value.ts';
import type { Sealing } from '#program/encryption/sealing.ts';
import type { WritesUnderWay } from '#program/encryption/writes-under-way.ts';
import { storageIdOfKey } from '#schema/descriptors/storage-id.ts';
import type { DataStore } from '#storage/data-store.ts';
import { decoratedStore } from '#storage/decorated-store.ts';
import {
  type Batch,
  type Change,
  type Feed,
  NotEncryptedError,
  OutcomeUnknownError,
  type Stored,
  StoreUnavailableError,
  type Write,
} from '#storage/object-store.ts';

/** The inputs for encrypting a store. */
export interface Encrypting {
  /** The encryption of a resource's values, by its storage id; undefined for none. */
  sealingOf(id: string): Sealing | undefined;
}

/** Writes in their stored form. */
interface SealedWrites {
  readonly writes: readonly Write[];
  /** Called when the writes have ended. `isLost` means that their outcome is unknown. */
  over(isLost: boolean): void;
}

export interface EncryptedStoreOptions {
  /** The prefix of the keys of objects: `<prefix>/<group>/<resource>/…`. */
  readonly prefix: string;
  readonly encryption: Encrypting;
  readonly log: { error(details: object, text: string): void };
}

/** A value that this server is writing. The feed delivers it again, and then the server need not decrypt it. */
interface OwnValue {
  readonly sealed: Buffer;
  readonly plain: Buffer;
}

/**
 * A store that encrypts values for callers that read and write plain values. A value that cannot be decrypted is
 * returned in its stored form, and the log gets a message with the reason. `isSealed` recognizes such a value, and also
 * a plain value that should be encrypted.
 */
export function encryptedStore(store: DataStore, { prefix, encryption, log }: EncryptedStoreOptions): DataStore {
  const base = prefix.length + 1;
  const own = new Map<string, OwnValue>();

  function sealingOf(key: string): Sealing | undefined {
    const id = key.startsWith(prefix) ? storageIdOfKey(key, base) : undefined;
    return id === undefined ? undefined : encryption.sealingOf(id);
  }

  function opened<T extends { readonly key: string; readonly value: Buffer }>(stored: T): MaybePromise<T> {
    const sealing = sealingOf(stored.key);
    return sealing === undefined ? stored : openedWith(sealing, stored);
  }

  function openedWith<T extends { readonly key: string; readonly value: Buffer }>(
    sealing: Sealing,
    stored: T,
  ): MaybePromise<T> {
    const known = own.get(stored.key);
    if (known?.sealed.equals(stored.value)) return { ...stored, value: known.plain };
    const failed = (error: unknown): T => {
      const problem = whyNotOpened(stored.value, messageOf(error));
      log.error({ key: stored.key, problem }, 'a stored value cannot be decrypted');
      return { ...stored, value: isSealed(stored.value) ? stored.value : IN_THE_CLEAR, problem };
    };
    try {
      const value = sealing.open(stored.value, Buffer.from(stored.key));
      return value instanceof Promise
        ? value.then((plain) => ({ ...stored, value: plain }), failed)
        : { ...stored, value };
    } catch (error) {
      return failed(error);
    }
  }

  async function openedAll(items: readonly (Stored | undefined)[]): Promise<(Stored | undefined)[]> {
    return Promise.all(items.map((item) => item && opened(item)));
  }

  function openedChange(change: Change): MaybePromise<Change> {
    const sealing = sealingOf(change.key);
    if (sealing === undefined) return change;
    const { value, previous } = change;
    const now = value === undefined ? undefined : openedWith(sealing, { key: change.key, value });
    const before = previous === undefined ? undefined : openedWith(sealing, previous);
    if (!(now instanceof Promise || before instanceof Promise))
      return { ...change, value: now?.value, previous: before };
    return Promise.all([now, before]).then(([after, earlier]) => ({
      ...change,
      value: after?.value,
      previous: earlier,
    }));
  }

  async function* openedFeed(feed: Feed): AsyncGenerator<Batch, void, undefined> {
    for await (const batch of feed) {
      const changes: MaybePromise<Change>[] = [];
      let waits = false;
      for (const change of batch.changes) {
        const one = openedChange(change);
        waits ||= one instanceof Promise;
        changes.push(one);
      }
      yield { ...batch, changes: waits ? await Promise.all(changes) : (changes as Change[]) };
    }
  }

  let fencedUntil = Number.NEGATIVE_INFINITY;
  let fencing: Promise<void> | undefined;

  /**
   * Ensures that the store has a fence key. Another replica can raise it when this server is gone, so that late writes
   * of this server fail. Returns undefined if the fence exists already, or a promise that resolves when it exists.
   * Rejects with StoreUnavailableError.
   */
  function fenced(): Promise<void> | undefined {
    // If there is no space for the fence, there is none for the value either.
    if (store.full || performance.now() < fencedUntil) return undefined;
    fencing ??= store
      .settle()
      .then(
        () => void (fencedUntil = performance.now() + FENCED_MS),
        (error: unknown) => {
          throw new StoreUnavailableError(`nothing was written: ${messageOf(error)}`);
        },
      )
      .finally(() => {
        fencing = undefined;
      });
    return fencing;
  }

  /**
   * The writes in their stored form.
   * @throws NotEncryptedError if a plug-in gives no key, and the errors of {@link fenced}
   */
  async function sealed(writes: readonly Write[]): Promise<SealedWrites> {
    const mine: [string, OwnValue][] = [];
    const underWay: WritesUnderWay[] = [];
    const over = (isLost: boolean): void => {
      for (const [key, value] of mine) forgetLater(key, value);
      for (const one of underWay) one.end(isLost ? store : undefined);
    };
    const result: Write[] = [];
    for (const write of writes) {
      const waits = write.value && sealingOf(write.key) && fenced();
      if (waits !== undefined) {
        try {
          await waits;
        } catch (error) {
          over(false);
          throw error;
        }
      }
      // The current rule of the key.
      const sealing = write.value && sealingOf(write.key);
      if (sealing === undefined) {
        result.push(write);
        continue;
      }
      underWay.push(sealing.underWay);
      sealing.underWay.begin();
      const plain = asBuffer(write.value!);
      let value: Buffer;
      try {
        const made = sealing.seal(plain, Buffer.from(write.key));
        value = made instanceof Promise ? await made : made;
      } catch (error) {
        over(false);
        throw new NotEncryptedError(`the value cannot be encrypted: ${messageOf(error)}`);
      }
      mine.push([write.key, { sealed: value, plain }]);
      result.push({ ...write, value });
    }
    for (const [key, value] of mine) own.set(key, value);
    return { writes: result, over };
  }

  /** Forgets a value later, because the feed may bring it after its writer has the answer. */
  function forgetLater(key: string, value: OwnValue): void {
    setTimeout(() => {
      if (own.get(key) === value) own.delete(key);
    }, FORGET_MS).unref();
  }

  async function sending<T>(all: readonly Write[], send: (writes: readonly Write[]) => Promise<T>): Promise<T> {
    const { writes, over } = await sealed(all);
    let isLost = false;
    try {
      return await send(writes);
    } catch (error) {
      isLost = error instanceof OutcomeUnknownError;
      throw error;
    } finally {
      over(isLost);
    }
  }

  async function writing<T>(write: Write, send: (write: Write) => Promise<T>): Promise<T> {
    return sealingOf(write.key) === undefined ? send(write) : sending([write], ([sealed]) => send(sealed!));
  }

  return decoratedStore(store, {
    async get(key, at) {
      const found = await store.get(key, at);
      return found && opened(found);
    },
    async list(under, page) {
      const found = await store.list(under, page);
      if (page.keysOnly === true) return found;
      return { ...found, items: (await openedAll(found.items)) as Stored[] };
    },
    async create(key, value, ttlSeconds) {
      const result = await writing({ key, value }, (write) => store.create(key, write.value!, ttlSeconds));
      return result.outcome === 'written' ? result : { ...result, current: await opened(result.current) };
    },
    async update(key, expected, value, ttlSeconds) {
      const result = await writing({ key, value }, (write) => store.update(key, expected, write.value!, ttlSeconds));
      if (result.outcome === 'written' || result.current === undefined) return result;
      return { ...result, current: await opened(result.current) };
    },
    async remove(key, expected) {
      const result = await store.remove(key, expected);
      if (result.outcome === 'written' || result.current === undefined) return result;
      return { ...result, current: await opened(result.current) };
    },
    async transact(conditions, writes) {
      const result = await sending(writes, (stored) => store.transact(conditions, stored));
      return result.outcome === 'written' ? result : { ...result, current: await openedAll(result.current) };
    },
    async isStale(key, revision) {
      const sealing = sealingOf(key);
      if (sealing === undefined) return false;
      const found = await store.get(key);
      return found?.revision === revision && sealing.isStale(found.value, Buffer.from(key));
    },
    feed(under, after, options) {
      const feed = store.feed(under, after, options);
      return {
        requestProgress: () => feed.requestProgress(),
        [Symbol.asyncIterator]: () => openedFeed(feed),
      };
    },
  });
}

/** How long a fence is valid, in milliseconds: half of its time in the store. */
const FENCED_MS = 1_800_000;

/** The value that replaces an unencrypted value where none is allowed. No reader takes it for an object. */
const IN_THE_CLEAR = Buffer.from('unopened:enc:identity:v1:');

/** How long a value of this server is kept after its write, in milliseconds. */
const FORGET_MS = 1_000;

function asBuffer(value: Uint8Array): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
