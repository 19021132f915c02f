import { within } from './client.ts';
import type { Connection } from './connection.ts';

/** Bytes of each member's database file by the member's address, without the members that do not answer. */
export async function databaseSizes(connection: Connection): Promise<ReadonlyMap<string, number>> {
  const { endpoints, settings } = connection;
  const asked = endpoints.all.map(async ({ address, client }): Promise<[string, number][]> => {
    try {
      const { dbSize } = await client.maintenance.status(within(settings.readTimeoutMs));
      return [[address, Number(dbSize)]];
    } catch {
      return [];
    }
  });
  return new Map((await Promise.all(asked)).flat());
}
