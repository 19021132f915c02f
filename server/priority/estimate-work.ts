import type { RequestInfo } from '../api/request-context.ts';
import type { Work } from './work.ts';

/** Objects of a list for each of its seats. */
const OBJECTS_PER_SEAT = 100;
/** Watchers of a change for each of the seats that telling them takes. */
const WATCHERS_PER_SEAT = 10;
/** The time for notifying one watcher, in milliseconds. */
const MS_PER_WATCHER = 0.05;
/** Telling few watchers is not worth a timer. */
const LEAST_MS = 1;
/** Seats of one request. */
const MOST_SEATS = 10;

const ONE: Work = { seats: 1, finalSeats: 0, finalMs: 0 };
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** How many objects a resource has, and how many watch it. */
export interface Population {
  readonly objects: number;
  readonly watchers: number;
}

/**
 * The estimated work of a request: for lists by the number of objects, for writes by the number of watchers that get
 * their events.
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
