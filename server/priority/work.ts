/** The estimated work of a request. */
export interface Work {
  /** Seats while it is served. */
  readonly seats: number;
  /** The seats for its follow-up work, and the time, in milliseconds. */
  readonly finalSeats: number;
  readonly finalMs: number;
}

/** How long a request is taken to last before it is known, in milliseconds. */
export const EXPECTED_MS = 3;

/** The total, in seat-milliseconds. */
export function totalWork({ seats, finalSeats, finalMs }: Work): number {
  return seats * EXPECTED_MS + finalSeats * finalMs;
}
