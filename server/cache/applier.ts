import { isSealed } from '#program/encryption/sealed-value.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson } from '#schema/objects/as-json.ts';
import type { Change, Revision } from '#storage/object-store.ts';
import type { ApplyListeners } from './apply-listeners.ts';
import type { Item, StoredValue } from './item.ts';
import type { OwnWrites } from './own-writes.ts';
import type { ParsedObjects } from './parsed-objects.ts';
import type { LocatedKey, ResourceEntries } from './resource-entries.ts';

/** The inputs of the applier. */
export interface ApplierParts {
  readonly entries: ResourceEntries;
  readonly own: OwnWrites;
  readonly parsed: ParsedObjects;
  readonly listeners: ApplyListeners;
  /** The present time, in whole seconds. */
  readonly second: () => number;
}

/** Applies changes of the store to the cached resources. */
export class Applier {
  readonly #entries: ResourceEntries;
  readonly #own: OwnWrites;
  readonly #listeners: ApplyListeners;
  readonly #second: () => number;
  // Subscribers need the object at once. An object that has changed before is likely to change again.
  readonly #keepParsed: (item: Item, object: ApiObject) => void;
  readonly #lendParsed: (item: Item, object: ApiObject) => void;
  #applied: Revision = 0;

  constructor({ entries, own, parsed, listeners, second }: ApplierParts) {
    this.#entries = entries;
    this.#own = own;
    this.#listeners = listeners;
    this.#second = second;
    this.#keepParsed = (item, object) => parsed.put(item, asJson(object));
    this.#lendParsed = (item, object) => parsed.lend(item, asJson(object));
  }

  /** The revision of the last change that was applied. */
  get applied(): Revision {
    return this.#applied;
  }

  /** Called when all resources show the state at this revision. */
  begin(revision: Revision): void {
    this.#applied = revision;
  }

  /** Applies a change. If the resource is not filled yet, the change waits until it is filled. */
  apply(change: Change): void {
    const located = this.#entries.locate(change.key);
    if (located === undefined) return;
    const { entry, key } = located;
    if (entry.pending !== undefined) {
      entry.pending.push(change);
      return;
    }
    const { value, revision } = change;
    const previous = entry.resource.get(key);
    const item = value && this.#item(located, change.key, { value, revision }, previous);
    if (value === undefined) entry.resource.isGone(key);
    if (value !== undefined && item === undefined && isSealed(value)) {
      entry.resource.loseSight(revision, key);
      if (revision > this.#applied) this.#applied = revision;
      return;
    }
    entry.resource.apply(revision, key, item, this.#second());
    if (revision > this.#applied) this.#applied = revision;
    if (this.#listeners.size > 0 && (item !== undefined || previous !== undefined))
      this.#listeners.tell({ group: entry.spec.group, plural: entry.spec.plural, key, revision, item, previous });
  }

  #item(located: LocatedKey, key: string, stored: StoredValue, previous: Item | undefined): Item | undefined {
    if (this.#own.has(key, stored.value)) return this.#entries.list(located, stored, previous);
    return this.#entries.build(located, stored, previous, previous === undefined ? this.#lendParsed : this.#keepParsed);
  }
}
