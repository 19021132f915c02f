import { serviceUnavailable } from '#base/errors/status-error.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Item } from '../cache/item.ts';
import type { ResourceCache, Subscription } from '../cache/resource-cache.ts';
import type { CacheLog, WatchCache } from '../cache/watch-cache.ts';
import type { ChangeListener, ObjectReader, Unread } from '../resources/object-reader.ts';

/** How long the content of the cache counts as current after its last confirmation, in milliseconds. */
const TRUSTED_MS = 10_000;

/** The largest number of changes that a listener gets at a time. */
const BATCH = 256;

type TellItem = (key: string, after: Item | undefined, before: Item | undefined) => void;

/** The position of one listener in the changes of a resource. */
class Following {
  readonly #cache: ResourceCache;
  readonly #tell: TellItem;
  readonly #known = new Map<string, Item>();
  #subscription: Subscription | undefined;

  constructor(cache: ResourceCache, tell: TellItem) {
    this.#cache = cache;
    this.#tell = tell;
    this.catchUp();
  }

  /** Notifies the listener of all changes up to the cache's frontier. */
  catchUp(): void {
    if (this.#subscription === undefined || this.#subscription.gone) this.#restart();
    for (;;) {
      const changes = this.#subscription!.next(BATCH);
      for (const { item, previous } of changes) this.#changed((item ?? previous)!.key, item);
      if (changes.length < BATCH) return;
    }
  }

  stop(): void {
    this.#subscription?.close();
  }

  #restart(): void {
    const { items, subscription } = this.#cache.snapshotAndSubscribe({ scope: '' });
    this.#subscription = subscription;
    const present = new Set(items.map((item) => item.key));
    for (const key of [...this.#known.keys()]) if (!present.has(key)) this.#changed(key, undefined);
    for (const item of items) if (this.#known.get(item.key) !== item) this.#changed(item.key, item);
    subscription.onReady(() => this.catchUp());
  }

  #changed(key: string, after: Item | undefined): void {
    const before = this.#known.get(key);
    if (after === undefined) this.#known.delete(key);
    else this.#known.set(key, after);
    if (after !== undefined || before !== undefined) this.#tell(key, after, before);
  }
}

/** Stored objects from the watch cache, for authentication and authorization. */
export class CacheReader implements ObjectReader {
  readonly #cache: WatchCache;
  readonly #log: Pick<CacheLog, 'error'>;
  readonly #followings = new Set<Following>();

  constructor(cache: WatchCache, log: Pick<CacheLog, 'error'>) {
    this.#cache = cache;
    this.#log = log;
  }

  get<T extends ApiObject>(group: string, plural: string, namespace: string, name: string): T | undefined {
    const item = this.#cache.resource(group, plural).get(namespace === '' ? name : `${namespace}/${name}`);
    return item === undefined ? undefined : this.#parsed<T>(item);
  }

  list<T extends ApiObject>(group: string, plural: string, namespace = ''): readonly T[] {
    const scope = namespace === '' ? '' : `${namespace}/`;
    return this.#cache
      .resource(group, plural)
      .range(scope)
      .map((item) => this.#parsed<T>(item));
  }

  onChange<T extends ApiObject>(group: string, plural: string, listener: ChangeListener<T>): () => void {
    const following = new Following(this.#cache.resource(group, plural), (key, after, before) => {
      try {
        listener(key, after && this.#unread<T>(after), before && this.#unread<T>(before));
      } catch (error) {
        this.#log.error({ err: error, resource: plural }, 'a change of roles or bindings could not be applied');
      }
    });
    this.#followings.add(following);
    return () => {
      following.stop();
      this.#followings.delete(following);
    };
  }

  /** Notifies all listeners of all changes that the cache already has. */
  catchUp(): void {
    for (const following of this.#followings) following.catchUp();
  }

  async confirm(): Promise<void> {
    try {
      await this.#cache.fresh();
    } catch {
      throw serviceUnavailable('what is stored could not be confirmed to be current; try again');
    }
    this.catchUp();
  }

  freshness(): 'confirmed' | 'stale' {
    return this.#cache.unconfirmedMs > TRUSTED_MS ? 'stale' : 'confirmed';
  }

  #unread<T extends ApiObject>(item: Item): Unread<T> {
    return { fields: item.fields, read: () => this.#parsed<T>(item) };
  }

  #parsed<T extends ApiObject>(item: Item): T {
    return this.#cache.parsed(item) as unknown as T;
  }
}
