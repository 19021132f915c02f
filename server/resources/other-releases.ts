import { jsonEqual } from '#base/json/json-equal.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { FieldType, MessageType } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { normalize } from '#schema/objects/normalize.ts';
import type { HiddenFields } from '../api/served-resource.ts';
import type { WatchCache } from '../cache/watch-cache.ts';

/** The key under which replicas record the releases that have written to the store; see stages/release-marker.ts. */
export const WRITTEN_RELEASES = { group: 'releases', plural: 'written' } as const;

/** Whether replicas of other releases have written to the store. */
export class OtherReleases {
  #have = false;

  /** Follows the cache from its creation on, before it is filled. */
  constructor(cache: WatchCache, release: Release) {
    const { group, plural } = WRITTEN_RELEASES;
    const others = cache.resource(group, plural);
    const look = () => {
      this.#have ||= others.range('').some(({ name }) => name !== release.name);
    };
    cache.onRelist(look);
    cache.onApply((change) => {
      if (change.group === group && change.plural === plural) look();
    });
  }

  /** Whether they have. It is read for each object, so it costs almost nothing. */
  get have(): boolean {
    return this.#have;
  }
}

/**
 * The stored fields of a kind that the release in force does not have. Clients do not see them, and a write of this
 * release does not lose them.
 */
class StoredHiddenFields implements HiddenFields {
  readonly #others: OtherReleases;
  readonly #own: MessageType;
  readonly #whole: () => MessageType;
  readonly #shown = new WeakMap<object, ApiObject>();
  #differs: boolean | undefined;

  /** @param whole the message with the fields of every release; used only if it is needed */
  constructor(others: OtherReleases, own: MessageType, whole: () => MessageType) {
    this.#others = others;
    this.#own = own;
    this.#whole = whole;
  }

  /** Whether objects may have such fields. */
  get may(): boolean {
    return this.#others.have && (this.#differs ??= differ(this.#own, this.#whole(), new Set()));
  }

  /** A stored object (shared, in the storage version) in the form of the release. */
  without(object: ApiObject): ApiObject {
    let shown = this.#shown.get(object);
    if (shown === undefined) {
      shown = asObject(normalize(this.#own, object));
      this.#shown.set(object, shown);
    }
    return shown;
  }

  /** The object in its stored form, with the stored fields that the release does not have. */
  restored(form: ApiObject, stored: JsonObject): ApiObject {
    const whole = this.#whole();
    return asObject(normalize(whole, restore(this.#own, whole, asJson(form), stored), { shares: true }));
  }
}

/** Whether a message has a field anywhere that the other one does not have. */
function differ(own: MessageType, whole: MessageType, seen: Set<MessageType>): boolean {
  if (seen.has(whole)) return false;
  seen.add(whole);
  return whole.jsonFields.some(({ name, message }) => {
    const field = own.byJsonName.get(name);
    if (field === undefined) return true;
    return message !== undefined && field.message !== undefined && differ(field.message, message, seen);
  });
}

function restore(own: MessageType, whole: MessageType, form: JsonObject, stored: JsonObject): JsonObject {
  const result = { ...form };
  for (const field of whole.jsonFields) {
    const kept = stored[field.name];
    if (kept === undefined || kept === null) continue;
    const known = own.byJsonName.get(field.name);
    const given = result[field.name];
    if (known === undefined) result[field.name] = given ?? kept;
    else if (given !== undefined && given !== null) result[field.name] = restoreValue(known, field, given, kept);
  }
  return result;
}

function restoreValue(own: FieldType, whole: FieldType, given: JsonValue, kept: JsonValue): JsonValue {
  const [ownType, wholeType] = [own.message, whole.message];
  if (ownType === undefined || wholeType?.jsonForm !== 'object') return given;
  if (whole.map && isObject(given) && isObject(kept)) {
    const entries = Object.entries(given).map(([key, value]): [string, JsonValue] => {
      const before = Object.hasOwn(kept, key) ? kept[key] : undefined;
      return [key, restoreOne(ownType, wholeType, value, before)];
    });
    return Object.fromEntries(entries);
  }
  if (whole.repeated && Array.isArray(given) && Array.isArray(kept)) {
    const beforeOf = counterpart(own, given, kept);
    return given.map((item, i) => restoreOne(ownType, wholeType, item, beforeOf(item, i)));
  }
  return restoreOne(ownType, wholeType, given, kept);
}

function restoreOne(own: MessageType, whole: MessageType, given: JsonValue, kept: JsonValue | undefined): JsonValue {
  return isObject(given) && isObject(kept) ? restore(own, whole, given, kept) : given;
}

/**
 * Finds the stored item that belongs to an item of a list. In a keyed list it is the item with the same keys. In a list
 * without keys it is the item at the same index, if its fields that this release knows have not changed.
 */
function counterpart(
  field: FieldType,
  given: readonly JsonValue[],
  kept: readonly JsonValue[],
): (item: JsonValue, place: number) => JsonValue | undefined {
  const keys = field.listMapKeys ?? (field.patchMergeKey === undefined ? [] : [field.patchMergeKey]);
  if (keys.length > 0) {
    const keyOf = (item: JsonValue) => JSON.stringify(keys.map((key) => (isObject(item) ? (item[key] ?? null) : null)));
    // Of items with equal keys, the first one matches the first one.
    const byKey = new Map<string, JsonValue[]>();
    for (const item of kept) {
      const same = byKey.get(keyOf(item));
      if (same === undefined) byKey.set(keyOf(item), [item]);
      else same.push(item);
    }
    return (item) => byKey.get(keyOf(item))?.shift();
  }
  const message = field.message!;
  const same = (item: JsonValue, before: JsonValue | undefined) =>
    isObject(item) && isObject(before) && jsonEqual(item, normalize(message, before));
  if (given.length === kept.length) return (item, place) => (same(item, kept[place]) ? kept[place] : undefined);
  return (item) => kept.find((before) => same(item, before));
}

/** The hidden fields of a kind, from its message in the release in force. */
export function hiddenFields(others: OtherReleases, own: MessageType, naming: Naming): HiddenFields {
  return new StoredHiddenFields(others, own, () => loadSchema(naming, 'every').message(own.name));
}
