import type { RequestInfo } from '../api/request-context.ts';
import type { Work } from './work.ts';

/** The number of objects of a list for each of its seats. */
const OBJECTS_PER_SEAT = 100;
/** The number of watchers of a change for each seat of their notification. */
const WATCHERS_PER_SEAT = 10;
/** The time for notifying one watcher, in milliseconds. */
const MS_PER_WATCHER = 0.05;
/** The shortest time for which a timer is used, in milliseconds. The notification of few watchers is shorter. */
const LEAST_MS = 1;
/** The largest number of seats of one request. */
const MOST_SEATS = 10;

const ONE: Work = { seats: 1, finalSeats: 0, finalMs: 0 };
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** How many objects a resource has, and how many watch it. */
export interface Population {
  readonly objects: number;
  readonly watchers: number;
}

/**
 * The estimated work of a request. For lists it depends on the number of objects, and for writes on the number of
 * watchers that get their events.
 */
export function estimateWork(
  { isResource, verb, subresource }: Pick<RequestInfo, 'isResource' | 'verb' | 'subresource'>,
  query: URLSearchParams,
  population: () => Population | undefined,
): Work {
  if (!isResource) return ONE;
  if (verb === 'list') {
    const { objects = 0 } = population() ?? {};
    const limit = Number(query.get('limit') ?? 0);
    const shown = limit > 0 ? Math.min(limit, objects) : objects;
    if (shown <= OBJECTS_PER_SEAT) return ONE;
    return { ...ONE, seats: Math.min(MOST_SEATS, Math.ceil(shown / OBJECTS_PER_SEAT)) };
  }
  if (!WRITES.has(verb) || (subresource !== '' && subresource !== 'status')) return ONE;
  const { watchers = 0 } = population() ?? {};
  const milliseconds = watchers * MS_PER_WATCHER;
  if (milliseconds < LEAST_MS) return ONE;
  const finalSeats = Math.min(MOST_SEATS, Math.ceil(watchers / WATCHERS_PER_SEAT));
  return { seats: 1, finalSeats, finalMs: milliseconds / finalSeats };
}
