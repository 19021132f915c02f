/** The estimated work of a request. */
export interface Work {
  /** The number of seats while it is served. */
  readonly seats: number;
  /** The number of seats for its follow-up work, and the time of that work in milliseconds. */
  readonly finalSeats: number;
  readonly finalMs: number;
}

/** The assumed duration of a request before it is known, in milliseconds. */
export const EXPECTED_MS = 3;

/** The total, in seat-milliseconds. */
export function totalWork({ seats, finalSeats, finalMs }: Work): number {
  return seats * EXPECTED_MS + finalSeats * finalMs;
}
