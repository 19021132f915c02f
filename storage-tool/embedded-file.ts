import { existsSync } from 'node:fs';
import { ConfigError } from '#base/errors/config-error.ts';
import { CompactedError } from '#storage/object-store.ts';
import type { EmbeddedStore } from '#storage-embedded/embedded-store.ts';
import type { Backend, KeyCondition, Member, RawValue } from './backend.ts';

/** The number of keys that are read at once. */
const PAGE = 500;

/** The granted lease that the next puts join. The store makes each lease itself. */
const TIME_TO_LIVE = 'ttl:';

/** The data in a file that no server has open. */
export class EmbeddedFile implements Backend {
  readonly address: string;
  readonly #store: EmbeddedStore;
  /** The remaining seconds of the leases that reads have found. */
  readonly #leases = new Map<string, number>();

  private constructor(address: string, store: EmbeddedStore) {
    this.address = address;
    this.#store = store;
  }

  /**
   * Opens the file. `makes` means that a missing file is created empty.
   *
   * @throws ConfigError with advice
   */
  static async open(file: string, makes = false): Promise<EmbeddedFile> {
    if (!makes && !existsSync(file)) throw new ConfigError(`there is no file ${file}`);
    const { openEmbeddedStore } = await import('#storage-embedded/embedded-store.ts');
    return new EmbeddedFile(`sqlite://${file}`, await openEmbeddedStore({ file, historyBytes: 0 }));
  }

  id(): Promise<string> {
    return this.#store.clusterId();
  }

  async get(key: string): Promise<RawValue | undefined> {
    const found = await this.#store.get(key);
    return found && { ...found, lease: await this.#leaseOf(key) };
  }

  async each(prefix: string, take: (value: RawValue) => void | Promise<void>, after?: string): Promise<number> {
    let next = after;
    let at: number | undefined;
    for (;;) {
      const asked = { limit: PAGE, ...(at !== undefined && { at }), ...(next !== undefined && { after: next }) };
      const page = await this.#store.list(prefix, asked).catch((error: unknown) => {
        if (at === undefined || !(error instanceof CompactedError)) throw error;
      });
      if (page === undefined) {
        at = undefined;
        continue;
      }
      at ??= page.revision;
      for (const { key, value, revision } of page.items)
        await take({ key, value, revision, lease: await this.#leaseOf(key) });
      next = page.items.at(-1)?.key;
      if (!page.more || next === undefined) return at;
    }
  }

  async write(
    key: string,
    value: Buffer | undefined,
    conditions: readonly KeyCondition[],
    lease = '0',
  ): Promise<boolean> {
    const { outcome } = await this.#store.transact(conditions, [writeOf(key, value, lease)]);
    return outcome === 'written';
  }

  async put(key: string, value: Buffer = Buffer.alloc(0), lease = '0'): Promise<number> {
    const result = await this.#store.transact([], [writeOf(key, value, lease)]);
    return result.outcome === 'written' ? result.revision : 0;
  }

  async secondsLeft(lease: string): Promise<number | undefined> {
    return this.#leases.get(lease);
  }

  async grant(seconds: number): Promise<string> {
    return `${TIME_TO_LIVE}${seconds}`;
  }

  raise(revision: number): Promise<void> {
    return this.#store.raise(revision);
  }

  async members(): Promise<readonly Member[]> {
    const { revision } = await this.#store.health();
    const [bytes] = (await this.#store.databaseSizes()).values();
    const header = { revision: String(revision), member_id: '1' };
    return [{ address: this.address, status: { version: 'file', leader: '1', header, dbSize: String(bytes) } }];
  }

  async alarms(): Promise<string[]> {
    return this.#store.full ? ['the disk is full'] : [];
  }

  async compact(revision: number): Promise<void> {
    await this.#store.compact(revision);
    await this.#store.purged();
  }

  defragment(): Promise<void> {
    return this.#store.defragment();
  }

  copyTo(file: string): Promise<void> {
    return this.#store.copyTo(file);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #leaseOf(key: string): Promise<string> {
    const lease = await this.#store.leaseOf(key);
    if (lease === undefined) return '0';
    this.#leases.set(String(lease.id), lease.seconds);
    return String(lease.id);
  }
}

function writeOf(key: string, value: Buffer | undefined, lease: string) {
  if (value === undefined) return { key };
  if (lease.startsWith(TIME_TO_LIVE)) return { key, value, ttlSeconds: Number(lease.slice(TIME_TO_LIVE.length)) };
  return lease === '0' ? { key, value } : { key, value, lease: Number(lease) };
}
