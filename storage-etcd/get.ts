import type { IRangeRequest } from 'etcd3';
import type { Connection } from './connection.ts';
import { keyBytes, toStored } from './keys.ts';
import type { Revision, Stored } from './object-store.ts';
import { naming } from './oldest-revision.ts';

export async function get(connection: Connection, key: string, at?: Revision): Promise<Stored | undefined> {
  const request: IRangeRequest = at === undefined ? { key: keyBytes(key) } : { key: keyBytes(key), revision: at };
  const answer = connection.read((client, options) => client.kv.range(request, options));
  const response = await (at === undefined ? answer : naming(connection, answer));
  connection.see(response.header);
  const kv = response.kvs[0];
  return kv && toStored(kv);
}
