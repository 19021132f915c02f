import type { APIService } from '#schema/generated/apiregistration.v1.ts';
import type { StoredResource } from '../api/served-resource.ts';
import type { Item } from '../cache/item.ts';
import { storedObject } from '../resources/built-in-reading.ts';
import type { Registry } from '../resources/registry.ts';

/** A registered group version, as stored. */
export interface KnownApiService {
  readonly item: Item;
  /** The object is shared, so callers must not change it. */
  readonly object: APIService;
}

/**
 * Says which server serves each group version, from the stored APIServices. They are read at the first use, and again
 * after a change.
 */
export class ApiServices {
  readonly #registry: Registry;
  readonly #listeners = new Set<() => void>();
  readonly #stop: (() => void)[] = [];
  /** Parsed objects. They are kept, so that a change costs only the parsing of one object. */
  readonly #known = new WeakMap<Item, KnownApiService>();
  #all: readonly KnownApiService[] = [];
  #remote: ReadonlyMap<string, KnownApiService> = new Map();
  #stale = true;

  constructor(registry: Registry) {
    this.#registry = registry;
    const { cache } = registry;
    const changed = (): void => {
      this.#stale = true;
      for (const listener of this.#listeners) listener();
    };
    this.#stop.push(
      cache.onRelist(changed),
      cache.onApply(({ group, plural }) => {
        if (plural === 'apiservices' && group === 'apiregistration') changed();
      }),
    );
  }

  /** All APIServices, by name. It is the same list until a change. */
  get all(): readonly KnownApiService[] {
    this.#read();
    return this.#all;
  }

  /** The APIServices of other servers, by `group/version`. It is the same map until a change. */
  get remote(): ReadonlyMap<string, KnownApiService> {
    this.#read();
    return this.#remote;
  }

  /** Calls the listener after each change. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  stop(): void {
    for (const stop of this.#stop) stop();
  }

  #read(): void {
    if (!this.#stale) return;
    this.#stale = false;
    const stored = this.#registry.stored('apiregistration', 'apiservices');
    const readable = stored.cache.range('').filter((item) => item.readable);
    this.#all = readable.map((item) => this.#knownOf(item, stored));
    this.#remote = new Map(
      this.#all
        .filter(({ object }) => object.spec?.service !== undefined)
        .map((known) => [`${known.object.spec?.group ?? ''}/${known.object.spec?.version ?? ''}`, known]),
    );
  }

  #knownOf(item: Item, stored: StoredResource): KnownApiService {
    let known = this.#known.get(item);
    if (known === undefined) {
      known = { item, object: storedObject(this.#registry, stored, item) as unknown as APIService };
      this.#known.set(item, known);
    }
    return known;
  }
}
