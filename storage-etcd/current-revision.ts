import type { IRangeResponse } from 'etcd3';
import type { Connection } from './connection.ts';
import { keyBytes } from './keys.ts';
import type { Revision } from './object-store.ts';

/** One linearizable round trip that carries no data: the header is what is wanted. */
export function probe(connection: Connection, timeoutMs?: number): Promise<IRangeResponse> {
  const key = keyBytes(`${connection.settings.prefix}/`);
  return connection.read((client, options) => client.kv.range({ key, count_only: true }, options), timeoutMs);
}

export async function currentRevision(connection: Connection): Promise<Revision> {
  const { header } = await probe(connection);
  return connection.see(header);
}
