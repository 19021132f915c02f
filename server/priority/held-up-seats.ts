/** The limit of seats that waiting clients may block, as a multiple of a level's seats. */
const HELD_UP_AT_MOST = 4;

/** Seats of requests that wait only for their clients, by flow. */
export class HeldUpSeats {
  readonly #ofFlows = new Map<string, number>();
  #all = 0;

  /** Whether a level with this many seats has reached its limit. */
  isTooMuch(seats: number): boolean {
    return this.#all >= HELD_UP_AT_MOST * seats;
  }

  /** Whether a flow blocks at least this number of seats. */
  has(flow: string, seats: number): boolean {
    return this.#all > 0 && (this.#ofFlows.get(flow) ?? 0) >= seats;
  }

  /** Adds to the count of a flow. The number may be negative. */
  add(flow: string, seats: number): void {
    this.#all += seats;
    const held = (this.#ofFlows.get(flow) ?? 0) + seats;
    if (held > 0) this.#ofFlows.set(flow, held);
    else this.#ofFlows.delete(flow);
  }
}
