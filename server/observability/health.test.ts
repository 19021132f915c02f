import assert from 'node:assert/strict';
import type { RequestContext } from '../api/request-context.ts';
import { Health } from './health.ts';

/** The answer of a path, and the log so far. */
function health(reasons: Record<string, string | undefined>) {
  const told: unknown[] = [];
  const all = new Health({ warn: (what: unknown) => void told.push(what) } as never);
  for (const name of Object.keys(reasons)) all.add({ name, paths: ['readyz'], check: () => reasons[name] });
  const ask = async (target: string) => {
    const [path = '', query = ''] = target.split('?');
    const context = { info: { path }, query: new URLSearchParams(query), warnings: { add() {} } };
    return (await all.answer(context as unknown as RequestContext)) as { status: number; text: string };
  };
  return { told, ask };
}

describe('health checks', () => {
  it('hide the cause of a failure from clients, and write it to the log once', async () => {
    const reasons: Record<string, string | undefined> = { ping: undefined, etcd: 'no leader at 10.0.0.1' };
    const { told, ask } = health(reasons);
    for (const target of ['/readyz', '/readyz?verbose', '/readyz']) {
      const { status, text } = await ask(target);
      assert.deepEqual([status, text], [500, '[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n']);
    }
    const line = { path: '/readyz', failed: ['etcd: no leader at 10.0.0.1'] };
    assert.deepEqual(told, [line]);
    reasons['etcd'] = undefined;
    assert.equal((await ask('/readyz')).status, 200);
    reasons['etcd'] = 'no leader at 10.0.0.1';
    await ask('/readyz');
    assert.deepEqual(told, [line, line], 'logged again after it had been well');
  });

  it('can be excluded by name, with a warning for unknown names', async () => {
    const { ask } = health({ ping: undefined, etcd: 'gone' });
    assert.equal((await ask('/readyz?exclude=etcd')).status, 200);
    const { text } = await ask('/readyz?exclude=etcd&exclude=nosuch&verbose');
    assert.equal(
      text,
      '[+]ping ok\n[+]etcd excluded: ok\nwarn: some health checks cannot be excluded: no matches for "nosuch"\nreadyz check passed\n',
    );
  });
});
