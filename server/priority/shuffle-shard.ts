import { createHash } from 'node:crypto';

/** The number of flows whose queues are remembered. For other flows they are computed again, with the same result. */
const MOST_HANDS = 4096;

/**
 * Gives each flow a few of many queues, always the same ones (shuffle sharding). Two flows seldom have all queues in
 * common. So a flow that fills its own queues leaves some free for other flows.
 */
export class Dealer {
  readonly #queues: number;
  readonly #handSize: number;
  readonly #hands = new Map<string, readonly number[]>();

  constructor(queues: number, handSize: number) {
    this.#queues = queues;
    this.#handSize = Math.min(handSize, queues);
  }

  /** The indexes of a flow's queues. All are different. */
  hand(flow: string): readonly number[] {
    let hand = this.#hands.get(flow);
    if (hand !== undefined) return hand;
    hand = this.#deal(flow);
    if (this.#hands.size >= MOST_HANDS) this.#hands.clear();
    this.#hands.set(flow, hand);
    return hand;
  }

  #deal(flow: string): readonly number[] {
    const deck = Array.from({ length: this.#queues }, (_, i) => i);
    let entropy = createHash('sha256').update(flow).digest().readBigUInt64BE();
    return Array.from({ length: this.#handSize }, (_, i) => {
      const left = BigInt(this.#queues - i);
      const chosen = i + Number(entropy % left);
      entropy /= left;
      [deck[i], deck[chosen]] = [deck[chosen]!, deck[i]!];
      return deck[i]!;
    });
  }
}
