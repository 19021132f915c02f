import assert from 'node:assert/strict';
import { FencedError } from '../errors.ts';
import { coordinationV1 } from '../generated/resources.ts';
import { FakeServer } from '../testing/fake-server.ts';
import { waitUntil } from '../testing/wait-until.ts';
import { standForElection } from './elect.ts';
import { forwardClock, Leadership } from './leadership.ts';

/** Times that are so long that an instance on a slow machine does not lose its lease. */
const long = { leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 100 };
const short = { leaseDurationMs: 2_000, renewDeadlineMs: 1_500, retryPeriodMs: 100 };

function candidate(server: FakeServer, identity: string, times = long) {
  const stop = new AbortController();
  const terms: Leadership[] = [];
  const caller = { cut: false };
  const client = server.client.guarded(() => {
    if (caller.cut) throw new Error('cut off');
  });
  const options = { namespace: 'sys', name: 'lock', identity, ...times };
  const standing = standForElection(
    client,
    options,
    async (leadership) => {
      terms.push(leadership);
      await new Promise((resolve) => leadership.signal.addEventListener('abort', resolve, { once: true }));
    },
    stop.signal,
  );
  return {
    terms,
    caller,
    get leads() {
      return terms.at(-1)?.holds === true;
    },
    stop: () => {
      stop.abort();
      return standing;
    },
  };
}

describe('leader election', () => {
  const lease = (server: FakeServer) => server.get(coordinationV1.leases, 'lock', 'sys')!;

  it('makes one leader, and another one immediately when the leader releases the lease', async () => {
    const server = new FakeServer([coordinationV1.leases]);
    const [a, b] = [candidate(server, 'a'), candidate(server, 'b')];
    await waitUntil('one leads', () => a.leads || b.leads);
    assert.equal(a.leads && b.leads, false);
    const [first, second] = a.leads ? [a, b] : [b, a];
    const transitions = lease(server).spec?.leaseTransitions ?? 0;
    await first.stop();
    assert.equal(first.leads, false);
    await waitUntil('the other leads', () => second.leads);
    assert.equal(lease(server).spec?.leaseTransitions, transitions + 1);
    await second.stop();
    assert.equal(lease(server).spec?.holderIdentity, '');
  });

  it('replaces a leader that lost its connection, after that leader has stopped acting', async () => {
    const server = new FakeServer([coordinationV1.leases]);
    const a = candidate(server, 'a', short);
    await waitUntil('a leads', () => a.leads);
    const b = candidate(server, 'b', short);
    a.caller.cut = true;
    await waitUntil('b leads', () => {
      assert.equal(a.leads && b.leads, false, 'two act at once');
      return b.leads;
    });
    assert.equal(a.leads, false);
    a.caller.cut = false;
    await b.stop();
    await waitUntil('a leads again', () => a.leads);
    await a.stop();
  });

  it('takes over an expired lease', async () => {
    const server = new FakeServer([coordinationV1.leases]);
    const spec = { holderIdentity: 'dead', leaseDurationSeconds: 1, renewTime: '2020-01-01T00:00:00.000000Z' };
    server.put(coordinationV1.leases, { metadata: { name: 'lock', namespace: 'sys' }, spec });
    const a = candidate(server, 'a');
    await waitUntil('a leads', () => a.leads);
    await a.stop();
  });

  it('does not act after the renew deadline, even if the wall clock is set back', () => {
    let [monotonic, wall] = [1000, 50_000];
    const clock = forwardClock(
      () => monotonic,
      () => wall,
    );
    const term = new Leadership(clock, clock(), 100);
    assert.doesNotThrow(() => term.check());
    wall -= 40_000;
    monotonic += 60;
    assert.ok(term.holds, 'the wall clock was set back');
    term.renewed(clock());
    monotonic += 90;
    assert.ok(term.holds, 'renewed');
    wall += 20_000;
    assert.throws(() => term.check(), FencedError, 'the machine slept');
    wall -= 20_000;
    term.renewed(clock());
    assert.ok(!term.holds, 'what is over stays over');
    assert.ok(term.signal.aborted);
  });
});
