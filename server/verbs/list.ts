import type { Answer } from '../api/answer.ts';
import type { ListContent } from '../api/list-content.ts';
import { type ListOptions, listOptions } from '../api/list-options.ts';
import type { RequestContext } from '../api/request-context.ts';
import { selection } from '../api/selection.ts';
import type { StoredServedResource } from '../api/served-resource.ts';
import type { Registry } from '../resources/registry.ts';
import { after, encodeContinue } from './continue-token.ts';
import { type ClientSignal, readCollection } from './read-collection.ts';
import { requireOpened } from './unreadable.ts';

/**
 * Lists a collection. Without a version it reads the newest state, and with version 0 any state. With another version
 * it reads a state that is not older, or exactly that version if `options` ask for it or ask for a page. A continue
 * token reads at the version of the first page.
 */
export async function listItems(
  registry: Registry,
  served: StoredServedResource,
  namespace: string,
  options: ListOptions,
  gone: ClientSignal = () => undefined,
): Promise<ListContent> {
  const selected = selection(served, options);
  const prefix = namespace === '' ? '' : `${namespace}/`;
  if (!selected.everything) await served.stored.cache.readAhead();
  const chunking = registry.gates.enabled('APIListChunking');
  await requireOpened(registry, served, prefix);
  const slice = await readCollection(
    { registry, served, prefix, selected, gone },
    chunking ? options : { ...options, limit: 0, continueToken: '' },
  );
  const { fetched, index } = slice;
  registry.lists.count(served.stored.cache, { index, fetched, returned: slice.items.length });
  // Other unreadable objects may have arrived in the meantime.
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

/** Answers a GET of a collection. */
export async function list(registry: Registry, served: StoredServedResource, context: RequestContext): Promise<Answer> {
  const options = listOptions(context.query, registry.naming, false, registry.gates.enabled('WatchList'));
  const content = await listItems(registry, served, context.info.namespace, options, () => context.signal);
  return { kind: 'list', status: 200, content };
}
