import type { Revision } from '#storage/object-store.ts';
import type { Connection } from './connection.ts';
import { keyBytes } from './keys.ts';
import type { RangeAnswer } from './kv-messages.ts';

/** Makes one linearizable round trip that reads no data. Only the header of the answer is needed. */
export function probe(connection: Connection, timeoutMs?: number): Promise<RangeAnswer> {
  const key = keyBytes(`${connection.settings.prefix}/`);
  return connection.read((kv, limitMs) => kv.range({ key, countOnly: true }, limitMs), timeoutMs);
}

export async function currentRevision(connection: Connection): Promise<Revision> {
  const { header } = await probe(connection);
  return connection.see(header);
}
