import type { Connection } from './connection.ts';

/** An alarm of a member whose database has reached its quota, in etcd's words. */
const NO_SPACE = /\balarm:NOSPACE\b/;

/**
 * The size of each member's database file in bytes, by the address of the member. Members that do not answer are left
 * out. The function also records from the answers whether the store has room.
 */
export async function databaseSizes(connection: Connection): Promise<ReadonlyMap<string, number>> {
  const { endpoints, settings } = connection;
  let full = false;
  const asked = endpoints.all.map(async (endpoint): Promise<[string, number][]> => {
    try {
      const { databaseBytes, errors } = await endpoint.status(settings.readTimeoutMs);
      full ||= errors.some((error) => NO_SPACE.test(error));
      return [[endpoint.address, databaseBytes]];
    } catch {
      return [];
    }
  });
  const sizes = new Map((await Promise.all(asked)).flat());
  if (full) {
    connection.space.ranOut();
  } else if (sizes.size > 0) {
    connection.space.sufficed();
  }
  return sizes;
}
