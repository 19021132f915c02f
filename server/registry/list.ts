import { CompactedError, FutureRevisionError } from '../../storage-etcd/object-store.ts';
import type { Answer } from '../api/answer.ts';
import type { ListContent } from '../api/list-content.ts';
import { type ListOptions, listOptions } from '../api/list-options.ts';
import type { Registry } from '../api/registry.ts';
import type { RequestContext } from '../api/request-context.ts';
import { selectableFields } from '../api/selectable-fields.ts';
import { interestOf, type Selection, selection, selects } from '../api/selection.ts';
import type { ServedResource, StoredResource } from '../api/served-resource.ts';
import type { Fact } from '../cache/fact.ts';
import { type Item, itemOf } from '../cache/item.ts';
import { isSealed, sealedWith } from '../encryption/sealed-value.ts';
import { badRequest, expired } from '../errors/status-error.ts';
import { after, decodeContinue, encodeContinue } from './continue-token.ts';
import { anyVersion, mostRecent, notOlderThan, tooLargeVersion } from './read-version.ts';
import { requireOpened, unreadableValue } from './unreadable.ts';

/** What aborts when nobody waits for the list any more; asked for where that matters, as it is not cheap. */
type Gone = () => AbortSignal | undefined;

/** One page of a collection at one revision. */
interface Slice {
  /** Matching items, at most `limit`. */
  readonly items: readonly Item[];
  readonly revision: number;
  /** The key the next page starts after; undefined on the last page. */
  readonly lastKey: string | undefined;
  /** Items after this page; meaningful without selectors. */
  readonly remaining: number;
  /** How many items were looked at for it. */
  readonly fetched: number;
  /** By what they were found in memory, '' for all; undefined where they came from the store. */
  readonly index: string | undefined;
}

function cut(items: readonly Item[], revision: number, selected: Selection, limit: number, index = ''): Slice {
  if (limit === 0 || items.length <= limit) {
    const matching = selected.everything ? items : items.filter((item) => selects(selected, item));
    if (limit === 0 || matching.length <= limit)
      return { items: matching, revision, lastKey: undefined, remaining: 0, fetched: items.length, index };
  }
  const page: Item[] = [];
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!;
    if (!selects(selected, item)) continue;
    page.push(item);
    if (page.length < limit) continue;
    const remaining = items.length - i - 1;
    return { items: page, revision, lastKey: remaining > 0 ? item.key : undefined, remaining, fetched: i + 1, index };
  }
  return { items: page, revision, lastKey: undefined, remaining: 0, fetched: items.length, index };
}

/** Keys that a relative `start` leaves out of a slice in key order. */
function from(items: readonly Item[], start: string): readonly Item[] {
  if (start === '') return items;
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (items[middle]!.key < start) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? items : items.slice(low);
}

/** Reads a collection from the store, page by page: what memory no longer or not yet holds. */
async function readFromStore(
  registry: Registry,
  served: ServedResource,
  prefix: string,
  at: number | undefined,
  start: string,
  selected: Selection,
  limit: number,
  gone: Gone,
): Promise<Slice> {
  const stored = served.stored!;
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
        const problem = `it is encrypted with ${sealedWith(value)}`;
        throw unreadableValue(served, key.slice(key.lastIndexOf('/') + 1), {
          revision: changed,
          problem,
          sealed: true,
        });
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

/** Whether a value that cannot be opened is there now; else it belongs to a past, and its key may be gone for good. */
function isNow({ cache }: StoredResource, key: string, revision: number): boolean {
  return cache.sealedIn(key).some((sealed) => sealed.key === key && sealed.revision === revision);
}

/** A version that holds what cannot be opened, and has been written anew since: it is gone as if it was compacted. */
class SealedPastError extends Error {}

function isPastGone(error: unknown): boolean {
  return error instanceof CompactedError || error instanceof SealedPastError;
}

/** The key after which reading begins with `start`: `start` without its closing zero, else one just below it. */
function exclusive(start: string): string | undefined {
  if (start === '') return undefined;
  if (start.endsWith('\0')) return start.slice(0, -1);
  const last = start.charCodeAt(start.length - 1);
  return `${start.slice(0, -1)}${String.fromCharCode(last - 1)}\uffff`;
}

/** A page without selectors: only as many objects are looked at. Undefined when the revision is not in memory. */
function pageOf(
  { cache }: StoredResource,
  revision: number,
  prefix: string,
  start: string,
  limit: number,
): Slice | undefined {
  const found = cache.rangeAt(revision, prefix, exclusive(start), limit);
  if (found === undefined) return undefined;
  const { items, remaining, more } = found;
  const lastKey = more ? items.at(-1)!.key : undefined;
  return { items, revision, remaining, lastKey, fetched: items.length, index: '' };
}

async function readExact(
  registry: Registry,
  served: ServedResource,
  prefix: string,
  revision: number,
  start: string,
  selected: Selection,
  limit: number,
  gone: Gone,
): Promise<Slice> {
  const stored = served.stored!;
  await notOlderThan(registry, stored, revision);
  if (selected.everything && limit > 0) {
    const page = pageOf(stored, revision, prefix, start, limit);
    if (page !== undefined) return page;
  } else {
    const inMemory = stored.cache.rangeAt(revision, prefix, exclusive(start));
    if (inMemory !== undefined) return cut(inMemory.items, revision, selected, limit);
  }
  try {
    return await readFromStore(registry, served, prefix, revision, start, selected, limit, gone);
  } catch (error) {
    if (error instanceof FutureRevisionError)
      throw tooLargeVersion(revision, registry.cache.home(stored.group, stored.plural).frontier);
    throw error;
  }
}

async function readNewest(
  registry: Registry,
  served: ServedResource,
  prefix: string,
  start: string,
  selected: Selection,
  limit: number,
  gone: Gone,
): Promise<Slice> {
  if (!(await mostRecent(registry, served.stored!)))
    return readFromStore(registry, served, prefix, undefined, start, selected, limit, gone);
  return readCached(registry, served, prefix, start, selected, limit);
}

function readCached(
  registry: Registry,
  served: ServedResource,
  prefix: string,
  start: string,
  selected: Selection,
  limit: number,
): Slice {
  const stored = served.stored!;
  const revision = registry.cache.home(stored.group, stored.plural).frontier;
  const page = selected.everything && limit > 0 ? pageOf(stored, revision, prefix, start, limit) : undefined;
  if (page !== undefined) return page;
  // pages end where as many objects were looked at as without an index
  const { scope, fact } =
    limit > 0 ? { scope: prefix, fact: undefined } : interestOf(selected, served.type.namespaced, prefix.slice(0, -1));
  const found = fact && stored.cache.having(scope, fact);
  const items = found ?? stored.cache.range(scope);
  return cut(from(items, start), revision, selected, limit, found && indexName(fact!));
}

/** Labels have names that clients make up, and are told together. */
function indexName({ of, name }: Fact): string {
  return of === 'field' ? `f:${name}` : 'l';
}

const TOO_OLD_TOKEN =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

async function readContinued(
  registry: Registry,
  served: ServedResource,
  prefix: string,
  options: ListOptions,
  selected: Selection,
  gone: Gone,
): Promise<Slice> {
  const { revision, start } = decodeContinue(options.continueToken, registry.metaVersion);
  if (options.resourceVersion !== undefined && options.resourceVersion !== 0) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const from = prefix + start;
  if (revision < 0) return readNewest(registry, served, prefix, from, selected, options.limit, gone);
  try {
    return await readExact(registry, served, prefix, revision, from, selected, options.limit, gone);
  } catch (error) {
    if (!isPastGone(error)) throw error;
    const token = encodeContinue({ revision: -1, start }, registry.metaVersion);
    throw expired(TOO_OLD_TOKEN, { continue: token });
  }
}

async function read(
  registry: Registry,
  served: ServedResource,
  prefix: string,
  options: ListOptions,
  selected: Selection,
  gone: Gone,
): Promise<Slice> {
  if (options.continueToken !== '') return readContinued(registry, served, prefix, options, selected, gone);
  const { resourceVersion, match, limit } = options;
  if (resourceVersion === undefined) return readNewest(registry, served, prefix, '', selected, limit, gone);
  if (resourceVersion === 0) {
    if (!(await anyVersion(registry, served.stored!)))
      return readFromStore(registry, served, prefix, undefined, '', selected, 0, gone);
    return readCached(registry, served, prefix, '', selected, 0);
  }
  if (match === 'Exact' || (match === undefined && limit > 0)) {
    try {
      return await readExact(registry, served, prefix, resourceVersion, '', selected, limit, gone);
    } catch (error) {
      if (!isPastGone(error)) throw error;
      throw expired(`The resourceVersion for the provided list is too old.`);
    }
  }
  await notOlderThan(registry, served.stored!, resourceVersion);
  return readCached(registry, served, prefix, '', selected, limit);
}

/**
 * Lists a collection: at its newest state without a version, at any state with version 0, at one that is not older than a
 * version, or at exactly that version where `options` say so or ask for a page of it. A continue token goes on at the
 * version of the first page.
 */
export async function listItems(
  registry: Registry,
  served: ServedResource,
  namespace: string,
  options: ListOptions,
  gone: Gone = () => undefined,
): Promise<ListContent> {
  const selected = selection(served, options);
  const prefix = namespace === '' ? '' : `${namespace}/`;
  if (!selected.everything) await served.stored!.cache.readAhead();
  const chunking = registry.gates.enabled('APIListChunking');
  await requireOpened(registry, served, prefix);
  const slice = await read(
    registry,
    served,
    prefix,
    chunking ? options : { ...options, limit: 0, continueToken: '' },
    selected,
    gone,
  );
  const { fetched, index } = slice;
  registry.lists.count(served.stored!.cache, { index, fetched, returned: slice.items.length });
  // some may have come meanwhile
  await requireOpened(registry, served, prefix);
  const metadata = { resourceVersion: String(slice.revision) };
  if (slice.lastKey === undefined) return { served, metadata, items: slice.items };
  const token = encodeContinue(
    { revision: slice.revision, start: after(slice.lastKey.slice(prefix.length)) },
    registry.metaVersion,
  );
  return {
    served,
    items: slice.items,
    metadata: {
      ...metadata,
      continue: token,
      ...(selected.everything ? { remainingItemCount: slice.remaining } : {}),
    },
  };
}

/** GET of a collection. */
export async function list(registry: Registry, served: ServedResource, context: RequestContext): Promise<Answer> {
  const options = listOptions(context.query, registry.naming, false, registry.gates.enabled('WatchList'));
  const content = await listItems(registry, served, context.info.namespace, options, () => context.signal);
  return { kind: 'list', status: 200, content };
}
