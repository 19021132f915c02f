import type { Connection } from './connection.ts';
import { keyBytes, prefixEnd } from './keys.ts';

export async function count(connection: Connection, prefix: string): Promise<number> {
  const request = { key: keyBytes(prefix), range_end: prefixEnd(prefix), count_only: true };
  const response = await connection.read((client, options) => client.kv.range(request, options));
  connection.see(response.header);
  return Number(response.count);
}
