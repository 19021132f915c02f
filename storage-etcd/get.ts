import type { Revision, Stored } from '#storage/object-store.ts';
import type { Connection } from './connection.ts';
import { keyBytes } from './keys.ts';
import type { RangeRequest } from './kv-messages.ts';
import { naming } from './oldest-revision.ts';

export async function get(connection: Connection, key: string, at?: Revision): Promise<Stored | undefined> {
  const request: RangeRequest = at === undefined ? { key: keyBytes(key) } : { key: keyBytes(key), revision: at };
  const answer = connection.read((kv, timeoutMs) => kv.range(request, timeoutMs));
  const { header, items } = await (at === undefined ? answer : naming(connection, answer));
  connection.see(header);
  return items[0];
}
