import type { IRangeRequest } from 'etcd3';
import type { Connection } from './connection.ts';
import { keyAfter, keyBytes, prefixEnd, toStored } from './keys.ts';
import type { Page, PageRequest } from './object-store.ts';
import { naming } from './oldest-revision.ts';

export async function list(connection: Connection, prefix: string, page: PageRequest): Promise<Page> {
  const { at, limit, after, keysOnly } = page;
  const request: IRangeRequest = {
    key: after !== undefined && after >= prefix ? keyAfter(after) : keyBytes(prefix),
    range_end: prefixEnd(prefix),
  };
  if (at !== undefined) {
    request.revision = at;
  }
  if (limit !== undefined) {
    request.limit = limit;
  }
  if (keysOnly) {
    request.keys_only = true;
  }
  const answer = connection.read(
    (client, options) => client.kv.range(request, options),
    connection.settings.listTimeoutMs,
  );
  const response = await (at === undefined ? answer : naming(connection, answer));
  const now = connection.see(response.header);
  // etcd counts the whole range from its first key on, whatever the limit.
  const remaining = Number(response.count) - response.kvs.length;
  return { items: response.kvs.map(toStored), revision: at ?? now, remaining, more: remaining > 0 };
}
