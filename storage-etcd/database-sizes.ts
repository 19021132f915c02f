import type { Connection } from './connection.ts';

/** Bytes of each member's database file by the member's address, without the members that do not answer. */
export async function databaseSizes(connection: Connection): Promise<ReadonlyMap<string, number>> {
  const { endpoints, settings } = connection;
  const asked = endpoints.all.map(async (endpoint): Promise<[string, number][]> => {
    try {
      const { databaseBytes } = await endpoint.status(settings.readTimeoutMs);
      return [[endpoint.address, databaseBytes]];
    } catch {
      return [];
    }
  });
  return new Map((await Promise.all(asked)).flat());
}
