import type { APIService } from '#schema/generated/apiregistration.v1.ts';
import type { StoredResource } from '../api/served-resource.ts';
import type { Item } from '../cache/item.ts';
import { storedObject } from '../resources/built-in-reading.ts';
import type { Registry } from '../resources/registry.ts';

/** A registered group version, as stored. */
export interface KnownApiService {
  readonly item: Item;
  /** Shared, not to be changed. */
  readonly object: APIService;
}

/** Which server serves each group version, by the stored APIServices: read on first use, and again after a change. */
export class ApiServices {
  readonly #registry: Registry;
  readonly #listeners = new Set<() => void>();
  readonly #stop: (() => void)[] = [];
  /** Parsed objects are kept, so that a change costs only its own size. */
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

  /** All APIServices, by name; the same list until something changes. */
  get all(): readonly KnownApiService[] {
    this.#read();
    return this.#all;
  }

  /** The APIServices of other servers, by `group/version`; the same map until something changes. */
  get remote(): ReadonlyMap<string, KnownApiService> {
    this.#read();
    return this.#remote;
  }

  /** Calls back when something has changed. */
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
