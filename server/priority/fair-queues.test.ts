import assert from 'node:assert/strict';
import { mock } from 'node:test';
import fc from 'fast-check';
import { FairQueues, type QueueLimits } from './fair-queues.ts';
import type { Refusal, Ticket } from './queue.ts';
import { Dealer } from './shuffle-shard.ts';
import type { Work } from './work.ts';

const one: Work = { seats: 1, finalSeats: 0, finalMs: 0 };
const wide = (seats: number): Work => ({ ...one, seats });

/** Clients that always have waiting requests, on a simulated clock. */
class Model {
  now = 1000;
  readonly queues: FairQueues<string>;
  /** Seat-milliseconds by flow, and how many of its requests wait or are served. */
  readonly served = new Map<string, number>();
  readonly open = new Map<string, number>();
  readonly #ends: { readonly at: number; readonly ticket: Ticket<string>; readonly took: number }[] = [];
  most = 0;

  constructor(limits: QueueLimits) {
    this.queues = new FairQueues(limits, () => this.now);
  }

  ask(flow: string, work: Work, took: number): Ticket<string> | Refusal {
    const ticket = this.queues.enter(flow, flow, work);
    if (typeof ticket === 'string') return ticket;
    this.open.set(flow, (this.open.get(flow) ?? 0) + 1);
    const begin = () => {
      this.most = Math.max(this.most, this.queues.seatsInUse);
      this.#ends.push({ at: this.now + took, ticket, took });
    };
    if (ticket.state === 'served') begin();
    else
      ticket.settle = (refusal) => {
        if (refusal === undefined) begin();
      };
    return ticket;
  }

  /** Moves the clock to the next end of a request. */
  step(): boolean {
    this.#ends.sort((a, b) => a.at - b.at);
    const next = this.#ends.shift();
    if (next === undefined) return false;
    this.now = next.at;
    const { about, work } = next.ticket;
    this.served.set(about, (this.served.get(about) ?? 0) + work.seats * next.took);
    this.open.set(about, this.open.get(about)! - 1);
    this.queues.finish(next.ticket);
    return true;
  }
}

const limits: QueueLimits = { seats: 4, queues: 16, handSize: 3, queueLength: 50 };

describe('FairQueues', () => {
  it('executes requests while there are seats, then queues them, then refuses them', () => {
    const model = new Model({ ...limits, seats: 2, handSize: 1, queueLength: 1 });
    const outcomes = Array.from({ length: 4 }, () => model.ask('a', one, 10)).map((outcome) =>
      typeof outcome === 'string' ? outcome : outcome.state,
    );
    assert.deepEqual(outcomes, ['served', 'served', 'waiting', 'queue-full']);
    while (model.step());
    assert.equal(model.served.get('a'), 30);
    assert.equal(model.queues.isIdle, true);
  });

  it('refuses requests at once if there are no queues', () => {
    const model = new Model({ seats: 1, queues: 0, handSize: 0, queueLength: 0 });
    assert.notEqual(typeof model.ask('a', one, 10), 'string');
    assert.equal(model.ask('b', one, 10), 'concurrency-limit');
    model.step();
    assert.notEqual(typeof model.ask('b', one, 10), 'string');
  });

  it('executes a request alone if it needs more than all seats', () => {
    const model = new Model(limits);
    model.ask('a', one, 10);
    const big = model.ask('b', wide(9), 10) as Ticket<string>;
    assert.equal(big.state, 'waiting');
    const small = model.ask('c', one, 10) as Ticket<string>;
    assert.equal(small.state, 'served', 'it would be done first');
    model.now += 60;
    const later = Array.from({ length: 9 }, (_, i) => model.ask(`d${i}`, one, 10) as Ticket<string>);
    assert.ok(
      later.every(({ state }) => state === 'waiting'),
      'small requests do not overtake the big one for ever',
    );
    model.step();
    model.step();
    assert.deepEqual([big.state, model.queues.executing], ['served', 1]);
    while (model.step());
    assert.equal(model.queues.isIdle, true);
  });

  it('executes a rare request soon, even if another flow floods the queues', () => {
    const model = new Model(limits);
    for (let i = 0; i < 100; i++) model.ask('flood', one, 10);
    const polite = model.ask('polite', one, 10) as Ticket<string>;
    assert.equal(polite.state, 'waiting');
    let steps = 0;
    while (polite.state === 'waiting' && model.step()) steps++;
    assert.ok(steps <= 4, `it waited for ${steps} others`);
  });

  it('reserves seats for flows with few requests', () => {
    const model = new Model({ ...limits, seats: 20, handSize: 1 });
    for (let i = 0; i < 40; i++) model.ask('flood', one, 100);
    assert.equal(model.queues.executing, 18);
    model.now += 50;
    const states = Array.from({ length: 3 }, () => (model.ask('polite', one, 10) as Ticket<string>).state);
    // They run one at a time, so the second must wait.
    assert.deepEqual(states, ['served', 'waiting', 'waiting']);
  });

  it('remembers the excess use of a flow while other flows are active', () => {
    const model = new Model({ ...limits, seats: 2, handSize: 1 });
    const [greedy] = [model.ask('greedy', wide(2), 1000) as Ticket<string>];
    model.ask('other', one, 10);
    model.now += 1000;
    model.queues.finish(greedy!);
    const [again, polite] = ['greedy', 'polite'].map((flow) => {
      model.ask('other', one, 10);
      return model.ask(flow, one, 10) as Ticket<string>;
    });
    assert.deepEqual([again!.asksSeldom, polite!.asksSeldom], [false, true]);
  });

  it('charges requests while they execute, so that long requests give no advantage', () => {
    const model = new Model({ ...limits, seats: 2, handSize: 1 });
    const flood = Array.from({ length: 6 }, () => model.ask('flood', one, 1000) as Ticket<string>);
    model.now += 500;
    const polite = model.ask('polite', one, 10) as Ticket<string>;
    model.now += 1;
    model.queues.finish(flood[0]!);
    assert.equal(polite.state, 'served');
  });

  it('executes a request that fits, even if an earlier one does not fit', () => {
    const model = new Model(limits);
    model.ask('flood', wide(3), 1000);
    const next = model.ask('flood', wide(3), 1000) as Ticket<string>;
    const polite = model.ask('polite', one, 10) as Ticket<string>;
    assert.deepEqual([next.state, polite.state], ['waiting', 'served']);
  });

  it('removes requests that time out or are cancelled, and executes the next ones', () => {
    const model = new Model({ ...limits, seats: 1 });
    model.ask('a', one, 10);
    const told: (Refusal | undefined)[] = [];
    const leaves = model.queues.enter('b', 'b', one) as Ticket<string>;
    leaves.settle = (refusal) => told.push(refusal);
    const stays = model.ask('c', one, 10) as Ticket<string>;
    model.queues.giveUp(leaves, 'time-out');
    model.queues.giveUp(leaves, 'cancelled');
    assert.deepEqual(told, ['time-out']);
    model.step();
    assert.equal(stays.state, 'served');
    assert.equal(model.queues.waiting, 0);
  });

  it('continues with waiting requests after its limits change', () => {
    const model = new Model({ ...limits, seats: 1 });
    for (let i = 0; i < 10; i++) model.ask(`flow ${i}`, one, 10);
    model.queues.limits = { seats: 3, queues: 2, handSize: 1, queueLength: 5 };
    assert.equal(model.queues.executing, 3);
    model.queues.limits = { seats: 2, queues: 0, handSize: 0, queueLength: 0 };
    while (model.step());
    assert.equal([...model.served.values()].length, 10);
    assert.equal(model.queues.isIdle, true);
  });

  it('keeps the seats of a write for its watchers for a short time', () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const queues = new FairQueues<string>({ ...limits, seats: 1 });
    const write = queues.enter('w', 'w', { seats: 1, finalSeats: 1, finalMs: 20 }) as Ticket<string>;
    const next = queues.enter('r', 'r', one) as Ticket<string>;
    next.settle = () => {};
    queues.finish(write);
    mock.timers.tick(19);
    assert.equal(next.state, 'waiting');
    mock.timers.tick(1);
    mock.timers.reset();
    assert.equal(next.state, 'served');
    queues.finish(next);
    assert.equal(queues.isIdle, true);
  });

  it('frees the seats of stalled clients, and limits the seats that such clients can hold', () => {
    const model = new Model({ ...limits, seats: 2 });
    const ask = (flow: string, work = one) => model.ask(flow, work, 10) as Ticket<string>;
    const deaf = [ask('deaf'), ask('deaf')];
    const told: (Refusal | undefined)[] = [];
    ask('deaf').settle = (refusal) => told.push(refusal);
    const polite = ask('polite');
    assert.equal(model.queues.holdUp(deaf[0]!), true);
    assert.equal(told.length, 1, 'the next of its flow');
    ask('deaf').settle = (refusal) => told.push(refusal);
    assert.equal(model.queues.holdUp(deaf[1]!), true);
    assert.equal(polite.state, 'served');
    assert.deepEqual([told, ask('deaf')], [[undefined, 'concurrency-limit'], 'concurrency-limit']);
    assert.equal(model.queues.executing, 2);
    // The second time there is nothing to take.
    assert.equal(model.queues.holdUp(deaf[0]!), false);
    model.queues.finish(deaf[0]!);
    model.queues.finish(deaf[0]!);
    const later = ask('deaf');
    assert.equal(later.state, 'waiting');
    model.queues.finish(deaf[1]!);
    model.queues.finish(polite);
    assert.equal(later.state, 'served');
  });

  it('does not free seats of stalling clients if there are many of them', () => {
    const model = new Model({ ...limits, seats: 1, queueLength: 1 });
    const held = Array.from({ length: 5 }, (_, i) => {
      const ticket = model.queues.enter(`flow ${i}`, `flow ${i}`, one) as Ticket<string>;
      return [ticket.state, model.queues.holdUp(ticket)];
    });
    assert.deepEqual(held, [...Array.from({ length: 4 }, () => ['served', true]), ['served', false]]);
  });

  it('gives equal service to flows that always have requests, for any size of requests', () => {
    const flow = fc.record({ seats: fc.integer({ min: 1, max: 4 }), took: fc.integer({ min: 1, max: 40 }) });
    fc.assert(
      fc.property(fc.array(flow, { minLength: 2, maxLength: 5 }), (flows) => {
        // There is one queue for each flow, so that fairness between queues is visible.
        const model = new Model({ seats: 4, queues: 512, handSize: 8, queueLength: 50 });
        const top = () => {
          for (const [i, { seats, took }] of flows.entries())
            while ((model.open.get(`flow ${i}`) ?? 0) < 40) model.ask(`flow ${i}`, wide(seats), took);
        };
        const steps = 3000;
        for (let i = 0; i < steps; i++) {
          top();
          model.step();
          assert.ok(model.queues.seatsInUse <= 4);
        }
        assert.ok(model.most <= 4);
        const all = flows.map((_, i) => model.served.get(`flow ${i}`) ?? 0);
        const [least, most] = [Math.min(...all), Math.max(...all)];
        // A queue may be ahead by the widest and longest request of each seat.
        assert.ok(most <= 2 * least + 4 * 4 * 40, `${all}`);
      }),
      { interruptAfterTimeLimit: 5000, numRuns: 30 },
    );
  });
});

describe('Dealer', () => {
  it('gives each flow the right number of different queues, always the same', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.integer({ min: 1, max: 128 }),
        fc.integer({ min: 1, max: 8 }),
        (flow, queues, size) => {
          const hand = new Dealer(queues, size).hand(flow);
          assert.equal(new Set(hand).size, Math.min(size, queues));
          assert.ok(hand.every((index) => index >= 0 && index < queues));
          assert.deepEqual(new Dealer(queues, size).hand(flow), hand);
        },
      ),
      { interruptAfterTimeLimit: 5000 },
    );
  });

  it('gives almost every flow a queue that a flood does not fill', () => {
    const dealer = new Dealer(128, 6);
    const flood = new Set(dealer.hand('flood'));
    const covered = Array.from({ length: 2000 }, (_, i) => dealer.hand(`flow ${i}`)).filter((hand) =>
      hand.every((index) => flood.has(index)),
    );
    assert.equal(covered.length, 0);
  });
});
