import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Exchange } from '../api/exchange.ts';
import { FairQueues } from './fair-queues.ts';
import { lookAfterClients } from './idle-clients.ts';
import type { Ticket } from './queue.ts';

const work = { seats: 1, finalSeats: 0, finalMs: 0 };

type Seen = { context: { raw(): Exchange } };

/** The observations of a request at two checks. */
type Look = { complete?: boolean; unsent?: number; written?: number };

const over1 = ({ complete = true, unsent = 0, written = 0 }: Look) =>
  ({ request: { complete }, response: { socket: { writableLength: unsent, bytesWritten: written } } }) as Exchange;
const over2 = ({ complete = true, unsent = 0, written = 0 }: Look) =>
  ({ request: { complete }, response: { writableLength: unsent, bytesWritten: written } }) as Exchange;

describe('lookAfterClients', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  for (const [what, first, second, loses] of [
    ['waits for the server', {}, {}, false],
    ['does not read its answer', { unsent: 9, written: 50 }, { unsent: 9, written: 50 }, true],
    ['reads its answer', { unsent: 9, written: 50 }, { unsent: 9, written: 60 }, false],
    ['has just stopped reading', {}, { unsent: 9, written: 60 }, false],
    ['sends its body slowly', { complete: false }, { complete: false }, true],
    ['has sent its body', { complete: false }, {}, false],
  ] as const satisfies readonly (readonly [string, Look, Look, boolean])[])
    for (const [version, exchange] of [
      ['HTTP/1.1', over1],
      ['HTTP/2', over2],
    ] as const)
      it(`${loses ? 'frees' : 'keeps'} the seat of a client that ${what}: ${version}`, () => {
        let look: Look = first;
        const queues = new FairQueues<Seen>({ seats: 1, queues: 8, handSize: 2, queueLength: 9 });
        const seen = { context: { raw: () => exchange(look) } };
        const one = queues.enter(seen, 'one', work) as Ticket<Seen>;
        const next = queues.enter(seen, 'next', work) as Ticket<Seen>;
        lookAfterClients(queues);
        mock.timers.tick(500);
        assert.equal(one.state, 'served');
        look = second;
        mock.timers.tick(500);
        assert.deepEqual([one.state, next.state], loses ? ['held up', 'served'] : ['served', 'waiting']);
      });

  it('checks clients as long as a request waits', () => {
    const queues = new FairQueues<Seen>({ seats: 1, queues: 8, handSize: 2, queueLength: 9 });
    let looks = 0;
    const raw = () => {
      looks++;
      return over1({});
    };
    const seen = { context: { raw } };
    const one = queues.enter(seen, 'one', work) as Ticket<Seen>;
    queues.enter(seen, 'next', work);
    lookAfterClients(queues);
    lookAfterClients(queues);
    mock.timers.tick(1000);
    assert.equal(looks, 2);
    queues.finish(one);
    mock.timers.tick(5000);
    assert.equal(looks, 3);
  });
});
