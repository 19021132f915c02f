import assert from 'node:assert/strict';
import { quantile, since } from './histogram.ts';
import { Reading } from './reading.ts';
import * as summary from './summary.ts';
import { checksIn } from './watched.ts';
import { writersIn } from './writers.ts';

const INFINITE = Number.POSITIVE_INFINITY;

function reading(at: number, ...lines: readonly string[]): Reading {
  const one = new Reading(at);
  const reader = one.reader();
  reader.push(`${lines.join('\n')}\n`);
  reader.end();
  return one;
}

const span = (now: Reading, before?: Reading): summary.Span => ({ address: 'a:1', now, before });

describe('quantiles of a histogram', () => {
  const ten = new Map([
    [1, 5],
    [2, 10],
    [INFINITE, 10],
  ]);
  const table: readonly [what: string, buckets: ReadonlyMap<number, number>, share: number, value: number | null][] = [
    ['inside the first bucket', ten, 0.25, 0.5],
    ['at a bound', ten, 0.5, 1],
    ['between two bounds', ten, 0.75, 1.5],
    [
      'above the highest bound',
      new Map([
        [1, 0],
        [INFINITE, 4],
      ]),
      0.5,
      1,
    ],
    [
      'of no observations',
      new Map([
        [1, 0],
        [INFINITE, 0],
      ]),
      0.5,
      null,
    ],
    ['without buckets', new Map(), 0.5, null],
  ];
  for (const [what, buckets, share, value] of table)
    it(`${what}: ${value}`, () => assert.equal(quantile(buckets, share), value));

  it('count only observations within the time window', () => {
    const after = new Map([
      [1, 9],
      [2, 20],
      [INFINITE, 20],
    ]);
    assert.deepEqual(
      since(ten, after),
      new Map([
        [1, 4],
        [2, 10],
        [INFINITE, 10],
      ]),
    );
  });
});

describe('the summary of the control plane', () => {
  it('lists passed and failed health checks', () => {
    const text = '[+]ping ok\n[-]etcd failed: reason withheld\n[+]poststarthook/bootstrap ok\nreadyz check failed\n';
    assert.deepEqual(checksIn(text), [
      { name: 'ping', ok: true },
      { name: 'etcd', ok: false },
      { name: 'poststarthook/bootstrap', ok: true },
    ]);
  });

  it('sums the requests by verb and code, in total and within the time window', () => {
    const before = reading(0, 'apiserver_request_total{code="200",resource="pods",verb="GET"} 2');
    const now = reading(
      10_000,
      'apiserver_request_total{code="200",resource="pods",verb="GET"} 12',
      'apiserver_request_total{code="200",resource="nodes",verb="GET"} 10',
      'apiserver_request_total{code="404",resource="pods",verb="GET"} 90',
    );
    assert.deepEqual(summary.requestsIn([span(now, before)]), [
      { verb: 'GET', code: '404', count: 90, perSecond: 9 },
      { verb: 'GET', code: '200', count: 22, perSecond: 2 },
    ]);
    assert.equal(summary.requestsIn([span(now)])[0]!.perSecond, null);
  });

  it('merges durations by verb for all replicas, without watches', () => {
    const line = (verb: string, le: string, count: number) =>
      `apiserver_request_duration_seconds_bucket{resource="pods",verb="${verb}",le="${le}"} ${count}`;
    const one = reading(1, line('GET', '1', 5), line('GET', '+Inf', 5), line('WATCH', '+Inf', 9));
    const other = reading(1, line('GET', '1', 0), line('GET', '2', 5), line('GET', '+Inf', 5));
    assert.deepEqual(
      summary.durationsIn([span(one), span(other)]).map(({ name, count }) => [name, count]),
      [['GET', 10]],
    );
  });

  it('lists priority levels, the busiest first', () => {
    const flow = (what: string, level: string, value: number) =>
      `apiserver_flowcontrol_current_${what}_requests{flow_schema="f",priority_level="${level}"} ${value}`;
    const now = reading(
      1,
      flow('executing', 'low', 3),
      flow('executing', 'high', 1),
      flow('inqueue', 'high', 2),
      'apiserver_flowcontrol_request_concurrency_limit{priority_level="low"} 7',
    );
    assert.deepEqual(summary.flowsIn([span(now)]), [
      { level: 'high', flow: 'f', executing: 1, queued: 2, limit: undefined },
      { level: 'low', flow: 'f', executing: 3, queued: 0, limit: 7 },
    ]);
  });

  it('lists caches and how far each is behind', () => {
    const [one, other] = [100, 90].map((revision) => reading(1, `watch_cache_frontier_revision ${revision}`)) as [
      Reading,
      Reading,
    ];
    const behind = (revision: number) =>
      summary.cachesIn([span(one), span(other)], revision).map((cache) => cache.behind);
    assert.deepEqual(behind(95), [0, 5]);
    assert.deepEqual(behind(0), [0, 10]);
  });

  it('lists the queues of controllers, those with work first', () => {
    const now = reading(
      1_000,
      'workqueue_depth{name="a"} 0',
      'workqueue_depth{name="b"} 4',
      'workqueue_adds_total{name="b"} 9',
      'workqueue_retries_total{name="b"} 1',
    );
    const [first] = summary.queuesIn([span(now, reading(0, 'workqueue_adds_total{name="b"} 7'))]);
    assert.deepEqual(first, {
      address: 'a:1',
      name: 'b',
      depth: 4,
      added: 9,
      addedPerSecond: 2,
      retries: 1,
      unfinishedSeconds: 0,
    });
  });

  it('lists requested API versions that will be removed', () => {
    const labels = 'group="policy",version="v1beta1",resource="budgets",subresource="",removed_release="1.25"';
    assert.deepEqual(summary.deprecatedIn([span(reading(1, `apiserver_requested_deprecated_apis{${labels}} 1`))]), [
      { group: 'policy', version: 'v1beta1', resource: 'budgets', subresource: '', removedRelease: '1.25' },
    ]);
  });
});

it('writersIn lists the clients that write through an API version', () => {
  const item = (name: string, manager: string, apiVersion: string, time: string) => ({
    metadata: { name, namespace: 'n', managedFields: [{ manager, apiVersion, time, operation: 'Update' }] },
  });
  const items = [
    item('a', 'old-tool', 'g/v1beta1', '2026-01-01T00:00:00Z'),
    item('b', 'old-tool', 'g/v1beta1', '2026-01-02T00:00:00Z'),
    item('c', 'new-tool', 'g/v1', '2026-01-03T00:00:00Z'),
  ];
  assert.deepEqual(writersIn(items, 'g/v1beta1'), [
    { manager: 'old-tool', objects: 2, example: 'n/b', last: '2026-01-02T00:00:00Z' },
  ]);
});
