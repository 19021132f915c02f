import type { Connection } from './connection.ts';
import { keyBytes, prefixEnd } from './keys.ts';

export async function count(connection: Connection, prefix: string): Promise<number> {
  const request = { key: keyBytes(prefix), end: prefixEnd(prefix), countOnly: true };
  const { header, count } = await connection.read((kv, timeoutMs) => kv.range(request, timeoutMs));
  connection.see(header);
  return count;
}
