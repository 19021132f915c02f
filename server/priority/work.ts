/** What a request is expected to take. */
export interface Work {
  /** Seats while it is served. */
  readonly seats: number;
  /** Seats after that, for what it has caused, and for how long, in milliseconds. */
  readonly finalSeats: number;
  readonly finalMs: number;
}

/** How long a request is taken to last before it is known, in milliseconds. */
export const EXPECTED_MS = 3;

/** What all of it comes to, in seat-milliseconds. */
export function totalWork({ seats, finalSeats, finalMs }: Work): number {
  return seats * EXPECTED_MS + finalSeats * finalMs;
}
