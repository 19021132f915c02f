import { append } from '#base/collections/append.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { parseStored } from '#base/json/parse-stored.ts';
import { mayBeUnsettled } from '#base/json/settled-number.ts';
import { stringify } from '#base/json/stringify.ts';
import { TimeSlice } from '#base/time/time-slice.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import { isPromise, type MaybePromise, whenReady } from '../api/maybe-promise.ts';
import type { ObjectModel } from '../api/object-model.ts';
import type { Reading, ResourceVersion, StoredReading } from '../api/stored-reading.ts';
import { type EncodedForm, EncodedPool } from '../cache/encoded-pool.ts';
import type { Item } from '../cache/item.ts';
import type { WatchCache } from '../cache/watch-cache.ts';
import { type CustomResource, MOST_CONVERTED } from './custom-resource.ts';

/** The cached bytes of custom objects in versions other than their storage version. */
const pool = new EncodedPool(32 * 1024 * 1024);

/** The approximate amount that is converted at once, in bytes of JSON. */
const BATCH_BYTES = 2 << 20;

/** The largest number of items that are processed without a pause for other requests. */
const AT_ONCE = 16;

/** Objects in their stored form, except those that needed a change. */
class CustomObjects implements Reading {
  readonly #cache: WatchCache;
  readonly #changed: ReadonlyMap<Item, Buffer>;

  constructor(cache: WatchCache, changed: ReadonlyMap<Item, Buffer>) {
    this.#cache = cache;
    this.#changed = changed;
  }

  asStored(item: Item): boolean {
    return !this.#changed.has(item);
  }

  workingAsStored(item: Item): boolean {
    return !this.#changed.has(item);
  }

  body(item: Item): Buffer {
    return this.#changed.get(item) ?? item.body;
  }

  object(item: Item): ApiObject {
    const changed = this.#changed.get(item);
    return asObject(changed === undefined ? this.#cache.parsed(item) : parseStored(changed));
  }

  passing(item: Item): ApiObject {
    const changed = this.#changed.get(item);
    return asObject(changed === undefined ? this.#cache.parsedOnce(item) : parseStored(changed));
  }
}

/** Reads objects of a resource that is defined at run time, in one of its versions. */
export interface CustomReadingOptions {
  readonly resource: CustomResource;
  readonly apiVersion: string;
  readonly storedVersion: string;
  readonly model: ObjectModel;
  readonly cache: WatchCache;
}

/**
 * Reads objects in one version of a custom resource. An object gets the defaults of its stored version by today's
 * definition. Then it is converted, and fields that this version does not know are dropped. Numbers that were stored in
 * their original spelling become canonical. If none of this changes an object, its stored bytes are sent. Otherwise the
 * work is done once for each revision, by the first reader.
 */
export class CustomReading implements StoredReading {
  readonly #options: CustomReadingOptions;
  readonly #unchanged: CustomObjects;
  /** Items whose stored bytes need no change. */
  readonly #right = new WeakSet<Item>();
  readonly #changed: EncodedForm = pool.form();
  readonly #underWay = new WeakMap<Item, Promise<ReadonlyMap<Item, Buffer>>>();

  constructor(options: CustomReadingOptions) {
    this.#options = options;
    this.#unchanged = new CustomObjects(options.cache, new Map());
  }

  get model(): ObjectModel {
    return this.#options.model;
  }

  ready(items: readonly Item[]): MaybePromise<Reading> {
    const missing: Item[] = [];
    let changed: Map<Item, Buffer> | undefined;
    for (const item of items) {
      if (this.#isRight(item)) continue;
      const body = this.#changed.get(item);
      if (body === undefined) missing.push(item);
      else (changed ??= new Map()).set(item, body);
    }
    if (missing.length === 0) return this.#reading(changed);
    return this.#complete(missing, changed ?? new Map());
  }

  fromStored(object: ApiObject, apiVersion: string): MaybePromise<ApiObject> {
    this.#modelOf(apiVersion)?.renew?.(object);
    if (apiVersion === this.#options.apiVersion) return object;
    return whenReady(this.#converted(object, apiVersion, this.#options.apiVersion), (one) => {
      this.#options.model.fit?.(one);
      return one;
    });
  }

  toStored(object: ApiObject): MaybePromise<ApiObject> {
    const { apiVersion, storedVersion } = this.#options;
    if (apiVersion === storedVersion) return object;
    const fit = this.#modelOf(storedVersion)?.fit;
    return whenReady(this.#converted(object, apiVersion, storedVersion), (one) => {
      if (fit === undefined) return one;
      const own = cloneJson(one);
      fit(own);
      return own;
    });
  }

  inVersion(object: ApiObject, to: ResourceVersion): MaybePromise<ApiObject> {
    if (to.apiVersion === this.#options.apiVersion) return object;
    const result = this.#converted(object, this.#options.apiVersion, to.apiVersion);
    return whenReady(result, (one) => asObject(to.model.canonical(one)));
  }

  fromVersion(object: ApiObject, from: ResourceVersion): MaybePromise<ApiObject> {
    return this.#converted(object, from.apiVersion, this.#options.apiVersion);
  }

  #reading(changed: ReadonlyMap<Item, Buffer> | undefined): Reading {
    return changed === undefined || changed.size === 0
      ? this.#unchanged
      : new CustomObjects(this.#options.cache, changed);
  }

  #isRight(item: Item): boolean {
    if (this.#right.has(item)) return true;
    if (!this.#isQuick(item) || this.#changes(item.apiVersion).length > 0 || mayBeUnsettled(item.body)) return false;
    this.#right.add(item);
    return true;
  }

  /** The changes that an object needs if it is stored in one version and read in this one without a webhook. */
  #changes(storedIn: string): ((object: ApiObject) => boolean)[] {
    const { apiVersion, model } = this.#options;
    const renew = this.#modelOf(storedIn)?.renew;
    const fit = storedIn === apiVersion ? undefined : model.fit;
    return [renew, fit].filter((change) => change !== undefined);
  }

  /** The model of a version, whether it is served or not; undefined for a removed version. */
  #modelOf(apiVersion: string): ObjectModel | undefined {
    if (apiVersion === this.#options.apiVersion) return this.#options.model;
    const { group, versions } = this.#options.resource;
    return versions.find(({ type }) => `${group}/${type.version}` === apiVersion)?.model();
  }

  /** Converts objects. A few objects that need no webhook are ready at once. */
  #complete(missing: readonly Item[], changed: Map<Item, Buffer>): MaybePromise<Reading> {
    if (missing.length > AT_ONCE || !missing.every((item) => this.#isQuick(item)))
      return this.#completeLater(missing, changed);
    for (const item of missing) this.#take(item, this.#quick(item), changed);
    return this.#reading(changed);
  }

  async #completeLater(missing: readonly Item[], changed: Map<Item, Buffer>): Promise<Reading> {
    const slice = new TimeSlice();
    const mine: Item[] = [];
    const others: (readonly [Item, Promise<ReadonlyMap<Item, Buffer>>])[] = [];
    for (const item of missing) {
      if (this.#isQuick(item)) {
        this.#take(item, this.#quick(item), changed);
        if (slice.over) await slice.yield();
        continue;
      }
      const known = this.#underWay.get(item);
      if (known === undefined) mine.push(item);
      else others.push([item, known]);
    }
    for (const batch of batches(mine)) {
      // Another caller may have begun with them in the meantime.
      const begun = batch.flatMap((item) => {
        const there = this.#underWay.get(item);
        return there === undefined ? [] : [[item, there] as const];
      });
      append(others, begun);
      const left = begun.length === 0 ? batch : batch.filter((item) => !this.#underWay.has(item));
      for (const [item, body] of await this.#convertBatch(left)) changed.set(item, body);
    }
    for (const [item, result] of others) {
      const body = (await result).get(item);
      if (body !== undefined) changed.set(item, body);
    }
    return this.#reading(changed);
  }

  /** Whether an item can be read in this version without a call of a webhook. */
  #isQuick(item: Item): boolean {
    return item.apiVersion === this.#options.apiVersion || this.#options.resource.convert === undefined;
  }

  #quick(item: Item): ApiObject | undefined {
    const object = asObject(cloneJson(this.#options.cache.parsedOnce(item)));
    let changed = false;
    for (const change of this.#changes(item.apiVersion)) if (change(object)) changed = true;
    return changed || mayBeUnsettled(item.body) ? object : undefined;
  }

  #take(item: Item, object: ApiObject | undefined, changed: Map<Item, Buffer>): void {
    if (object === undefined) {
      this.#right.add(item);
      return;
    }
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = this.#options.model.canonical(object);
    const body = Buffer.from(stringify(rest as JsonObject));
    if (body.equals(item.body)) {
      this.#right.add(item);
      return;
    }
    this.#changed.set(item, body);
    changed.set(item, body);
  }

  #convertBatch(items: readonly Item[]): Promise<ReadonlyMap<Item, Buffer>> {
    const result = this.#convertAll(items);
    for (const item of items) this.#underWay.set(item, result);
    const forget = (): void => {
      for (const item of items) this.#underWay.delete(item);
    };
    result.then(forget, forget);
    return result;
  }

  async #convertAll(items: readonly Item[]): Promise<ReadonlyMap<Item, Buffer>> {
    const { resource, apiVersion, cache, model } = this.#options;
    const { kind } = resource;
    const changed = new Map<Item, Buffer>();
    if (items.length === 0) return changed;
    const slice = new TimeSlice();
    const objects: ApiObject[] = [];
    for (const item of items) {
      const renew = this.#modelOf(item.apiVersion)?.renew;
      const stored = asObject(cache.parsedOnce(item));
      const object = renew === undefined ? stored : cloneJson(stored);
      renew?.(object);
      objects.push({ kind, apiVersion: item.apiVersion, ...object });
      if (slice.over) await slice.yield();
    }
    const results = await resource.convert!(objects, apiVersion);
    for (let i = 0; i < items.length; i++) {
      const object = results[i]!;
      model.fit?.(object);
      this.#take(items[i]!, object, changed);
      if (slice.over) await slice.yield();
    }
    return changed;
  }

  #converted(object: ApiObject, from: string, to: string): MaybePromise<ApiObject> {
    const { kind, convert } = this.#options.resource;
    if (from === to) return object;
    const sent = { ...object, kind, apiVersion: from };
    if (convert === undefined) return { ...sent, apiVersion: to };
    const result = convert([sent], to);
    return isPromise(result) ? result.then(([one]) => one!) : result[0]!;
  }
}

/** Items in pieces that fit into one request to the webhook. */
function* batches(items: readonly Item[]): Generator<readonly Item[]> {
  let start = 0;
  let bytes = 0;
  for (let i = 0; i < items.length; i++) {
    const size = items[i]!.body.length;
    if (i > start && (bytes + size > BATCH_BYTES || i - start === MOST_CONVERTED)) {
      yield items.slice(start, i);
      start = i;
      bytes = 0;
    }
    bytes += size;
  }
  if (start < items.length) yield items.slice(start);
}
