import { timerMs } from '#base/time/longest-timer.ts';
import { HeldUpSeats } from './held-up-seats.ts';
import { Queue, type Refusal, Ticket } from './queue.ts';
import { Dealer } from './shuffle-shard.ts';
import { type Starts, startsOfNext } from './starts.ts';
import { EXPECTED_MS, totalWork, type Work } from './work.ts';

/** How many requests may be served at once, and how many may wait. */
export interface QueueLimits {
  readonly seats: number;
  /** The number of queues. 0 means that a request without a free seat is refused. */
  readonly queues: number;
  readonly handSize: number;
  /** The largest number of waiting requests in one queue. */
  readonly queueLength: number;
}

/** One seat in this number of a level's seats stays free, for flows that have had less than their share. */
const KEPT_FREE = 10;

/**
 * Divides the seats of a priority level equally among all flows. A flow that requests more than its share waits, and
 * the other flows wait only a little. The algorithm is fair queuing. Virtual time passes as if all active queues were
 * served at once, at equal speed. The next request is the one that would end first in virtual time. The duration of a
 * request is known only at its end. Then its queue pays the difference from the estimate.
 */
export class FairQueues<About> {
  #limits: QueueLimits;
  #dealer: Dealer;
  readonly #queues: Queue<About>[] = [];
  readonly #now: () => number;
  /** Virtual time, and the moment at which it was computed. */
  #r = 0;
  #at: number;
  #next = 0;
  #seatsInUse = 0;
  #waiting = 0;
  #executing = 0;
  #active = 0;
  #dispatchR = 0;
  #latestS = 0;
  readonly #served = new Set<Ticket<About>>();
  readonly #heldUp = new HeldUpSeats();
  /** The queue index if there are no queues. */
  readonly #noQueue = new Queue<About>(-1);

  /** `now` gives the time in milliseconds. */
  constructor(limits: QueueLimits, now: () => number = performance.now.bind(performance)) {
    this.#now = now;
    this.#at = now();
    this.#limits = limits;
    this.#dealer = new Dealer(limits.queues, limits.handSize);
    this.#resize();
  }

  get limits(): QueueLimits {
    return this.#limits;
  }

  /** Sets the limits. Waiting requests stay in their queues, and running ones are not interrupted. */
  set limits(limits: QueueLimits) {
    this.#advance();
    const { queues, handSize } = this.#limits;
    this.#limits = limits;
    if (queues !== limits.queues || handSize !== limits.handSize) {
      this.#dealer = new Dealer(limits.queues, limits.handSize);
      this.#resize();
    }
    this.#dispatch();
  }

  get waiting(): number {
    return this.#waiting;
  }

  get executing(): number {
    return this.#executing;
  }

  get seatsInUse(): number {
    return this.#seatsInUse;
  }

  get isIdle(): boolean {
    return this.#seatsInUse === 0 && this.#waiting === 0;
  }

  /** The requests with seats. */
  get served(): Iterable<Ticket<About>> {
    return this.#served;
  }

  get virtualTime(): number {
    this.#advance();
    return this.#r;
  }

  get queues(): readonly Queue<About>[] {
    return this.#queues;
  }

  get starts(): Starts {
    return { dispatchR: this.#dispatchR, latestS: this.#latestS, ...startsOfNext(this.#queues, this.#at) };
  }

  /**
   * Accepts a request: it is served at once (see its `state`), waits, or is refused. A waiting request gets the result
   * through `settle`, which the caller sets at once.
   */
  enter(about: About, flow: string, work: Work): Ticket<About> | Refusal {
    if (this.#holdsUp(flow)) return 'concurrency-limit';
    this.#advance();
    const ticket = new Ticket(about, flow, work, this.#at, this.#r);
    if (this.#limits.queues === 0) {
      if (!this.#fits(ticket)) return 'concurrency-limit';
      this.#begin(ticket, this.#noQueue);
      return ticket;
    }
    const queue = this.#queueFor(flow);
    ticket.asksSeldom = queue.isIdle && (queue.nextDispatchR <= this.#r || this.#active === 0);
    if (this.#waiting === 0 && this.#fits(ticket)) {
      this.#begin(ticket, queue);
      return ticket;
    }
    if (queue.waiting.length >= this.#limits.queueLength) return 'queue-full';
    this.#activate(queue);
    ticket.queue = queue;
    queue.waiting.push(ticket);
    queue.seatsWaiting += work.seats;
    this.#waiting++;
    // The new request may need fewer seats than the next one in order. In that case it runs first.
    this.#dispatch();
    return ticket;
  }

  /** Removes a waiting request from its queue. */
  giveUp(ticket: Ticket<About>, why: 'time-out' | 'cancelled'): void {
    const { queue } = ticket;
    const at = queue?.waiting.indexOf(ticket) ?? -1;
    if (at < 0) return;
    this.#advance();
    this.#takeOut(queue!, at);
    ticket.state = 'done';
    this.#deactivate(queue!);
    ticket.settle?.(why);
    // A request with fewer seats may fit now.
    this.#dispatch();
  }

  /** Called when a request has ended. Its follow-up work keeps its seats a little longer. */
  finish(ticket: Ticket<About>): void {
    const { flow, queue, state, work } = ticket;
    if (state !== 'served' && state !== 'held up') return;
    ticket.state = 'done';
    this.#advance();
    if (state === 'served') this.#vacate(ticket);
    else this.#heldUp.add(flow, -ticket.held);
    if (work.finalSeats > 0 && work.finalMs > 0) {
      this.#occupy(queue!, work.finalSeats);
      setTimeout(() => {
        this.#advance();
        this.#free(queue!, work.finalSeats);
        this.#dispatch();
      }, timerMs(work.finalMs)).unref();
    }
    this.#dispatch();
  }

  /**
   * Takes the seats from a request that waits only for its client, because the server does no work for it during that
   * time. A flow that blocks as many seats as the level has gets no more before some of those requests end. False if
   * too many seats are blocked.
   */
  holdUp(ticket: Ticket<About>): boolean {
    if (ticket.state !== 'served' || this.#heldUp.isTooMuch(this.#limits.seats)) return false;
    ticket.state = 'held up';
    ticket.held = Math.min(ticket.work.seats, this.#limits.seats);
    this.#heldUp.add(ticket.flow, ticket.held);
    this.#advance();
    this.#vacate(ticket);
    ticket.vacated?.();
    this.#dispatch();
    return true;
  }

  /** Frees the seats of a running request, whose queue pays for the time. */
  #vacate(ticket: Ticket<About>): void {
    const { queue, work } = ticket;
    this.#served.delete(ticket);
    this.#executing--;
    queue!.executing--;
    queue!.executingSeats -= work.seats;
    queue!.began -= work.seats * ticket.startedAt;
    queue!.nextDispatchR += work.seats * (this.#at - ticket.startedAt - EXPECTED_MS);
    this.#free(queue!, work.seats);
    this.#deactivate(queue!);
  }

  #holdsUp(flow: string): boolean {
    return this.#heldUp.has(flow, this.#limits.seats);
  }

  #resize(): void {
    const wanted = this.#limits.queues;
    while (this.#queues.length < wanted) this.#queues.push(new Queue(this.#queues.length));
    // Queues beyond the wanted number get no new requests, and are removed when they are empty.
    while (this.#queues.length > wanted && this.#queues.at(-1)!.isIdle) this.#queues.pop();
    this.#next = 0;
  }

  #advance(): void {
    const now = this.#now();
    // The time advances by the used seats, and not by the possible seats. Otherwise it advances too fast for queues
    // whose requests do not fill all seats.
    if (this.#active > 0) this.#r += ((now - this.#at) * this.#seatsInUse) / this.#active;
    this.#at = now;
  }

  /** The queue of the flow that has the least work. */
  #queueFor(flow: string): Queue<About> {
    let best: Queue<About> | undefined;
    for (const index of this.#dealer.hand(flow)) {
      const queue = this.#queues[index]!;
      const load = queue.seatsInUse + queue.seatsWaiting;
      if (best === undefined || load < best.seatsInUse + best.seatsWaiting) best = queue;
      if (load === 0) break;
    }
    return best!;
  }

  /** Whether a request fits. A request that needs more seats than there are is served alone. */
  #fits({ asksSeldom, work: { seats } }: Ticket<About>): boolean {
    const { queues, seats: all } = this.#limits;
    const most = asksSeldom || queues === 0 ? all : all - Math.floor(all / KEPT_FREE);
    return this.#seatsInUse + seats <= most || (seats > most && this.#seatsInUse === 0);
  }

  #activate(queue: Queue<About>): void {
    if (!queue.isIdle) return;
    // A queue does not save up unused time. Its use beyond its share counts only while other queues are active.
    queue.nextDispatchR = this.#active === 0 ? this.#r : Math.max(queue.nextDispatchR, this.#r);
    if (queue !== this.#noQueue) this.#active++;
  }

  #deactivate(queue: Queue<About>): void {
    if (queue.isIdle && queue !== this.#noQueue) this.#active--;
  }

  #begin(ticket: Ticket<About>, queue: Queue<About>): void {
    this.#activate(queue);
    ticket.queue = queue;
    ticket.startedAt = this.#at;
    ticket.state = 'served';
    this.#dispatchR = this.#r;
    this.#latestS = queue.nextDispatchR;
    queue.nextDispatchR += totalWork(ticket.work);
    queue.executing++;
    queue.executingSeats += ticket.work.seats;
    queue.began += ticket.work.seats * ticket.startedAt;
    this.#executing++;
    this.#served.add(ticket);
    this.#occupy(queue, ticket.work.seats);
  }

  #occupy(queue: Queue<About>, seats: number): void {
    queue.seatsInUse += seats;
    this.#seatsInUse += seats;
  }

  #free(queue: Queue<About>, seats: number): void {
    queue.seatsInUse -= seats;
    this.#seatsInUse -= seats;
  }

  #takeOut(queue: Queue<About>, at: number): Ticket<About> {
    const [ticket] = queue.waiting.splice(at, 1);
    queue.seatsWaiting -= ticket!.work.seats;
    this.#waiting--;
    return ticket!;
  }

  #dispatch(): void {
    while (this.#waiting > 0) {
      const queue = this.#nextQueue();
      const first = queue.waiting[0]!;
      if (this.#holdsUp(first.flow)) {
        this.#takeOut(queue, 0);
        first.state = 'done';
        this.#deactivate(queue);
        first.settle?.('concurrency-limit');
        continue;
      }
      if (!this.#fits(first)) return;
      // A queue that could not use its share does not get it later.
      if (first.arrivedR > queue.nextDispatchR) queue.nextDispatchR = first.arrivedR;
      this.#begin(first, queue);
      this.#takeOut(queue, 0);
      first.settle?.(undefined);
    }
  }

  /**
   * The queue whose first request would finish first. Queues with rare requests come before others. Equal queues are
   * chosen in turn.
   */
  #nextQueue(): Queue<About> {
    const count = this.#queues.length;
    let best: Queue<About> | undefined;
    let least = Number.POSITIVE_INFINITY;
    let seldom = false;
    for (let i = 0; i < count; i++) {
      const queue = this.#queues[(this.#next + i) % count]!;
      const first = queue.waiting[0];
      if (first === undefined) continue;
      const finish = queue.startOf(first, this.#at) + totalWork(first.work);
      const { asksSeldom } = first;
      if (asksSeldom === seldom ? finish < least : asksSeldom) {
        seldom = asksSeldom;
        least = finish;
        best = queue;
      }
    }
    this.#next = (best!.index + 1) % count;
    return best!;
  }
}
