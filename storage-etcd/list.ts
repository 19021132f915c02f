import type { Page, PageRequest } from '#storage/object-store.ts';
import type { Connection } from './connection.ts';
import { keyAfter, keyBytes, prefixEnd } from './keys.ts';
import type { KvClient } from './kv-client.ts';
import type { RangeRequest } from './kv-messages.ts';
import { naming } from './oldest-revision.ts';

export async function list(connection: Connection, prefix: string, page: PageRequest): Promise<Page> {
  const { at, limit, after, keysOnly, signal } = page;
  const request: RangeRequest = {
    key: after !== undefined && after >= prefix ? keyAfter(after) : keyBytes(prefix),
    end: prefixEnd(prefix),
    revision: at ?? 0,
    limit: limit ?? 0,
    keysOnly: keysOnly === true,
  };
  const ask = (kv: KvClient, timeoutMs: number) => kv.range(request, timeoutMs, signal);
  const answer = connection.read(ask, connection.settings.listTimeoutMs, signal);
  const { header, items, count } = await (at === undefined ? answer : naming(connection, answer));
  const now = connection.see(header);
  // etcd counts the whole range from its first key, regardless of the limit.
  const remaining = count - items.length;
  return { items, revision: at ?? now, remaining, more: remaining > 0 };
}
