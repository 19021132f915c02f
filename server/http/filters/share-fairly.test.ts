import assert from 'node:assert/strict';
import { MetricSet } from '#program/metrics/metric-set.ts';
import { RequestStages } from '#program/tracing/request-stages.ts';
import type { Answer } from '../../api/answer.ts';
import type { RequestContext } from '../../api/request-context.ts';
import { RequestEnd } from '../../api/request-end.ts';
import { FairQueues } from '../../priority/fair-queues.ts';
import { fairnessMetrics } from '../../priority/fairness-metrics.ts';
import type { Asking, Classified, FlowControl } from '../../priority/flow-control.ts';
import { shareFairly } from './share-fairly.ts';

function request(verb: string): RequestContext {
  const info = { verb, isResource: true, subresource: '', parts: ['pods'] };
  const { signal } = new AbortController();
  const query = new URLSearchParams();
  const raw = () => ({ response: { setHeader() {} } });
  return {
    info,
    query,
    signal,
    user: { name: 'bob', groups: [] },
    raw,
    end: new RequestEnd(),
    stages: new RequestStages(),
  } as never;
}

describe('shareFairly', () => {
  it('counts executing and waiting requests, and reports the virtual time', async () => {
    let now = 0;
    const queues = new FairQueues<Asking>({ seats: 1, queues: 1, handSize: 1, queueLength: 9 }, () => now);
    const level = { name: 'narrow', uid: 'l', queues, quiescing: false };
    const schema = { name: 'all', uid: 's' } as Classified['schema'];
    const control = {
      levels: [level],
      total: 2,
      classify: () => ({ schema, level, distinguisher: '' }),
    } as unknown as FlowControl;
    const metrics = new MetricSet();
    const sharing = shareFairly({
      control,
      observer: fairnessMetrics(metrics, control),
      naming: { header: (name) => name },
      requestTimeoutMs: 60_000,
      population: () => undefined,
    });
    /** The first number of each series, for the families of levels. */
    const shown = () =>
      metrics
        .values()
        .filter(
          ({ family: { labels } }) => labels.join() === 'priority_level' || labels.join() === 'bound,priority_level',
        )
        .flatMap(({ family, series }) =>
          series.map(([labels, [value]]) => [family.name.replace('apiserver_flowcontrol_', ''), ...labels, value]),
        );
    const answer = async (): Promise<Answer> => ({ kind: 'list' }) as Answer;
    const first = request('get');
    await sharing.filter(first, answer);
    assert.deepEqual(sharing.waiting, { reading: 0, mutating: 0 });
    now = 2_000;
    const [second, third] = [request('list'), request('create')];
    const later = [sharing.filter(second, answer), sharing.filter(third, answer)];
    assert.deepEqual(sharing.waiting, { reading: 1, mutating: 1 });
    assert.deepEqual(shown(), [
      ['current_r', 'narrow', 2],
      ['dispatch_r', 'narrow', 0],
      ['latest_s', 'narrow', 0],
      ['next_discounted_s_bounds', 'max', 'narrow', 1.997],
      ['next_discounted_s_bounds', 'min', 'narrow', 1.997],
      ['next_s_bounds', 'max', 'narrow', 2],
      ['next_s_bounds', 'min', 'narrow', 2],
      ['request_concurrency_limit', 'narrow', 1],
    ]);
    first.end.come();
    await later[0];
    assert.deepEqual([sharing.reading, sharing.waiting], [1, { reading: 0, mutating: 1 }]);
    second.end.come();
    await later[1];
    third.end.come();
    assert.deepEqual([sharing.mutating, sharing.waiting], [0, { reading: 0, mutating: 0 }]);
    // How long it was so, by the used part of its limit.
    const parts = metrics
      .values()
      .filter(({ family: { labels } }) => labels.includes('phase'))
      .flatMap(({ family, series }) =>
        series.map(([labels, numbers]) => [
          family.name.replace('apiserver_flowcontrol_', ''),
          ...labels,
          [...(family.buckets ?? []), Number.POSITIVE_INFINITY].filter((_, i) => numbers[i]! > 0).join(),
        ]),
      );
    assert.deepEqual(parts, [
      ['priority_level_request_utilization', 'executing', 'narrow', '0,1'],
      ['priority_level_request_utilization', 'waiting', 'narrow', '0,0.25'],
      ['priority_level_seat_utilization', 'executing', 'narrow', '0,1'],
      ['read_vs_write_current_requests', 'executing', 'mutating', '0,0.5'],
      ['read_vs_write_current_requests', 'executing', 'readOnly', '0,0.5'],
      ['read_vs_write_current_requests', 'waiting', 'mutating', '0,0.5'],
      ['read_vs_write_current_requests', 'waiting', 'readOnly', '0,0.5'],
    ]);
    const dispatched = shown().filter(([name]) => name === 'dispatch_r' || String(name).startsWith('next_'));
    assert.deepEqual(dispatched, [['dispatch_r', 'narrow', 2]]);
  });
});
