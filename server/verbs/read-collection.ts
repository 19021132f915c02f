import { badRequest, expired } from '#base/errors/status-error.ts';
import { isSealed } from '#program/encryption/sealed-value.ts';
import { CompactedError, FutureRevisionError } from '#storage/object-store.ts';
import type { ListOptions } from '../api/list-options.ts';
import { namesOne, type Selection, selects, watchPredicateOf } from '../api/selection.ts';
import type { StoredResource, StoredServedResource } from '../api/served-resource.ts';
import type { IndexKey } from '../cache/index-key.ts';
import { type Item, itemOf } from '../cache/item.ts';
import type { Registry } from '../resources/registry.ts';
import { selectableFields } from '../resources/selectable-fields.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import { anyVersion, mostRecent, notOlderThan, tooLargeVersion } from './read-version.ts';
import { cut, exclusive, from, pageOf, type Slice } from './slice.ts';
import { sealedAway, unreadableValue } from './unreadable.ts';

/**
 * A signal that aborts when no client waits for the list any more. It is requested only when it is needed, because it
 * has a cost.
 */
export type ClientSignal = () => AbortSignal | undefined;

/** The part of a collection to read, at any version. */
export interface ReadPlan {
  readonly registry: Registry;
  readonly served: StoredServedResource;
  /** The prefix of the keys, below the prefix of the collection. It is that of a namespace, or ''. */
  readonly prefix: string;
  /** The relative key at which reading begins; '' for the first key. */
  readonly start: string;
  readonly selected: Selection;
  /** The largest number of items; 0 means all. */
  readonly limit: number;
  readonly gone: ClientSignal;
}

/** Reads a collection from the store, page by page, if memory no longer has it or does not have it yet. */
async function readFromStore(plan: ReadPlan, at: number | undefined): Promise<Slice> {
  const { registry, served, prefix, start, selected, limit, gone } = plan;
  const { stored } = served;
  const fields = selectableFields(served.type.selectableFields, stored.rules);
  const base = stored.keyPrefix;
  const items: Item[] = [];
  let revision = at;
  let fetched = 0;
  let cursor = exclusive(start);
  for (;;) {
    const signal = gone();
    const page = await registry.store
      .list(base + prefix, {
        signal,
        limit: 500,
        ...(revision === undefined ? {} : { at: revision }),
        ...(cursor === undefined ? {} : { after: base + cursor }),
      })
      .catch((error: unknown) => {
        throw signal?.aborted ? badRequest('the request was given up') : error;
      });
    revision ??= page.revision;
    fetched += page.items.length;
    for (let i = 0; i < page.items.length; i++) {
      const { key, value, revision: changed } = page.items[i]!;
      const item = itemOf(key.slice(base.length), value, changed, fields);
      if (item === undefined && isSealed(value)) {
        if (at !== undefined && !isNow(stored, key.slice(base.length), changed)) throw new SealedPastError();
        throw unreadableValue(served, key.slice(key.lastIndexOf('/') + 1), sealedAway(page.items[i]!));
      }
      if (item === undefined || !selects(selected, item)) continue;
      items.push(item);
      if (limit > 0 && items.length === limit) {
        const remaining = page.items.length - i - 1 + page.remaining;
        const lastKey = remaining > 0 ? item.key : undefined;
        return { items, revision, lastKey, remaining, fetched, index: undefined };
      }
    }
    if (!page.more) return { items, revision, lastKey: undefined, remaining: 0, fetched, index: undefined };
    cursor = page.items.at(-1)!.key.slice(base.length);
  }
}

/**
 * Whether the value that cannot be decrypted is the current one. Otherwise it is an old one, and its key may be lost
 * permanently.
 */
function isNow({ cache }: StoredResource, key: string, revision: number): boolean {
  return cache.sealedIn(key).some((sealed) => sealed.key === key && sealed.revision === revision);
}

/**
 * The error about a version with a value that cannot be decrypted and that was written again later. The version counts
 * as compacted.
 */
class SealedPastError extends Error {}

function isPastGone(error: unknown): boolean {
  return error instanceof CompactedError || error instanceof SealedPastError;
}

async function readExact(plan: ReadPlan, revision: number): Promise<Slice> {
  const { registry, served, prefix, start, selected, limit } = plan;
  const { stored } = served;
  await notOlderThan(registry, stored, revision);
  if (selected.everything && limit > 0) {
    const page = pageOf(stored, revision, prefix, start, limit);
    if (page !== undefined) return page;
  } else {
    const inMemory = stored.cache.rangeAt(revision, prefix, exclusive(start));
    if (inMemory !== undefined) return cut(inMemory.items, revision, selected, limit);
  }
  try {
    return await readFromStore(plan, revision);
  } catch (error) {
    if (error instanceof FutureRevisionError)
      throw tooLargeVersion(revision, registry.cache.home(stored.group, stored.plural).frontier);
    throw error;
  }
}

async function readNewest(plan: ReadPlan): Promise<Slice> {
  if (!(await mostRecent(plan.registry, plan.served.stored))) return readFromStore(plan, undefined);
  return readCached(plan);
}

function readCached({ registry, served, prefix, start, selected, limit }: ReadPlan): Slice {
  const { stored } = served;
  const revision = registry.cache.home(stored.group, stored.plural).frontier;
  const page = selected.everything && limit > 0 ? pageOf(stored, revision, prefix, start, limit) : undefined;
  if (page !== undefined) return page;
  // Pages end after as many examined objects as without an index.
  const { scope, indexKey } =
    limit > 0
      ? { scope: prefix, indexKey: undefined }
      : watchPredicateOf(selected, served.type.namespaced, prefix.slice(0, -1));
  const found = indexKey && stored.cache.matching(scope, indexKey);
  const items = found ?? stored.cache.range(scope);
  return cut(from(items, start), revision, selected, limit, found && indexName(indexKey!));
}

/** The name of an index in metrics. Names of labels come from clients, so all labels share one name here. */
function indexName({ of, name }: IndexKey): string {
  return of === 'field' ? `f:${name}` : 'l';
}

const TOO_OLD_TOKEN =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

async function readContinued(whole: ReadPlan, options: ListOptions): Promise<Slice> {
  const { registry, prefix } = whole;
  const { revision, start } = decodeContinue(options.continueToken, registry.metaVersion);
  if (options.resourceVersion !== undefined && options.resourceVersion !== 0) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const plan = { ...whole, start: prefix + start };
  if (revision < 0) return readNewest(plan);
  try {
    return await readExact(plan, revision);
  } catch (error) {
    if (!isPastGone(error)) throw error;
    const token = encodeContinue({ revision: -1, start }, registry.metaVersion);
    throw expired(TOO_OLD_TOKEN, { continue: token });
  }
}

/**
 * Reads a page of a collection at the version that `options` name, from memory if possible.
 *
 * @throws StatusError: 400 for a malformed token, 410 for a compacted version, 504 for a version that the server has
 * not reached yet
 */
export async function readCollection(
  where: Pick<ReadPlan, 'registry' | 'served' | 'prefix' | 'selected' | 'gone'>,
  options: ListOptions,
): Promise<Slice> {
  const { registry, served, prefix, selected, gone } = where;
  // All plans have the same form.
  const planOf = (limit: number): ReadPlan => ({ registry, served, prefix, start: '', selected, limit, gone });
  if (options.continueToken !== '') return readContinued(planOf(options.limit), options);
  const { resourceVersion, match } = options;
  // A single object has no pages.
  const limit = namesOne(selected, served.type.namespaced, prefix.slice(0, -1)) ? 0 : options.limit;
  if (resourceVersion === 0) {
    const plan = planOf(0);
    if (!(await anyVersion(registry, served.stored))) return readFromStore(plan, undefined);
    return readCached(plan);
  }
  const plan = planOf(limit);
  if (resourceVersion === undefined) return readNewest(plan);
  if (match === 'Exact' || (match === undefined && limit > 0)) {
    try {
      return await readExact(plan, resourceVersion);
    } catch (error) {
      if (!isPastGone(error)) throw error;
      throw expired(`The resourceVersion for the provided list is too old.`);
    }
  }
  await notOlderThan(registry, served.stored, resourceVersion);
  return readCached(plan);
}
