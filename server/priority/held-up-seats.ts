/** Of a level, how many times its seats may be held up by clients who neither send nor read. */
const HELD_UP_AT_MOST = 4;

/** Seats of requests that wait only for their clients, by flow. */
export class HeldUpSeats {
  readonly #ofFlows = new Map<string, number>();
  #all = 0;

  /** Whether no more may be held up on a level with so many seats. */
  isTooMuch(seats: number): boolean {
    return this.#all >= HELD_UP_AT_MOST * seats;
  }

  /** Whether a flow holds up at least so many. */
  has(flow: string, seats: number): boolean {
    return this.#all > 0 && (this.#ofFlows.get(flow) ?? 0) >= seats;
  }

  /** Counts more of a flow, or less. */
  add(flow: string, seats: number): void {
    this.#all += seats;
    const held = (this.#ofFlows.get(flow) ?? 0) + seats;
    if (held > 0) this.#ofFlows.set(flow, held);
    else this.#ofFlows.delete(flow);
  }
}
