import { EXPECTED_MS, type Work } from './work.ts';

/** Why a request is not served, in the words of the metrics. */
export type Refusal = 'concurrency-limit' | 'queue-full' | 'time-out' | 'cancelled';

/** A request that waits or is served. `about` belongs to the caller. */
export class Ticket<About> {
  readonly about: About;
  readonly work: Work;
  readonly flow: string;
  /** The arrival time, in milliseconds of the clock and in virtual time. */
  readonly arrivedAt: number;
  readonly arrivedR: number;
  startedAt = 0;
  /** Whether it waits, is served, is blocked by its client, or has ended. */
  state: 'waiting' | 'served' | 'held up' | 'done' = 'waiting';
  queue: Queue<About> | undefined;
  /** Called when it gets its seats, or when it is refused. */
  settle: ((refusal: Refusal | undefined) => void) | undefined;
  /**
   * Whether its queue has used no more than its share. The request then goes before those of queues that always have
   * requests.
   */
  asksSeldom = false;
  /** The seats that count for it while its client blocks it. */
  held = 0;
  /** Called when it has lost its seats before its end. */
  vacated: (() => void) | undefined;

  constructor(about: About, flow: string, work: Work, arrivedAt: number, arrivedR: number) {
    this.about = about;
    this.flow = flow;
    this.work = work;
    this.arrivedAt = arrivedAt;
    this.arrivedR = arrivedR;
  }
}

/** Requests of flows that share a queue, in the order of arrival. */
export class Queue<About> {
  readonly index: number;
  readonly waiting: Ticket<About>[] = [];
  executing = 0;
  /** The seats in use. Seats for the follow-up work of served requests count too. */
  executingSeats = 0;
  seatsInUse = 0;
  /** Seats of waiting requests. */
  seatsWaiting = 0;
  /** The sum over running requests of seats times start time, in seat-milliseconds of the clock. */
  began = 0;
  /** The virtual time at which the next request is dispatched, in seat-milliseconds for each queue. */
  nextDispatchR = 0;

  constructor(index: number) {
    this.index = index;
  }

  get isIdle(): boolean {
    return this.executing === 0 && this.waiting.length === 0;
  }

  /**
   * The virtual time at which `first`, the oldest waiting request of this queue, starts: when the queue has paid for
   * its seats, at `now` of the clock. It includes the time so far of requests that are still running. If a queue paid
   * only at their end, a flow of long requests would be ahead of all others until then.
   */
  startOf(first: Ticket<About>, now: number): number {
    const owed = Math.max(0, this.executingSeats * (now - EXPECTED_MS) - this.began);
    return Math.max(this.nextDispatchR + owed, first.arrivedR);
  }
}
