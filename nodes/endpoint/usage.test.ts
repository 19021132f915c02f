import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import { resourceMetrics, summary } from './usage.ts';

const naming = createNaming('orch');
const START = Date.parse('2026-01-01T00:00:00Z');
const running = { running: { startedAt: '2026-01-01T00:00:00Z' } };
const pod: Pod = {
  metadata: { name: 'p', namespace: 'n', uid: 'u' },
  spec: {
    containers: [
      { name: 'a', resources: { requests: { cpu: '500m', memory: '1Gi' } } },
      { name: 'b' },
      { name: 'over', resources: { requests: { cpu: '4' } } },
    ],
  },
  status: {
    startTime: '2026-01-01T00:00:00Z',
    containerStatuses: [
      { name: 'a', state: running, ready: true, restartCount: 0, image: 'i', imageID: '' },
      { name: 'b', state: running, ready: true, restartCount: 0, image: 'i', imageID: '' },
      { name: 'over', state: {}, ready: false, restartCount: 0, image: 'i', imageID: '' },
    ],
  },
};

describe('usage of simulated containers', () => {
  it('equals their requests while they run', () => {
    const now = START + 10_000;
    const text = resourceMetrics([{ pod }], now, naming);
    const line = (start: string) => text.split('\n').find((one) => one.startsWith(start));
    const labels = (name: string) => `{container="${name}",namespace="n",pod="p"}`;
    const [seconds, bytes] = ['container_cpu_usage_seconds_total', 'container_memory_working_set_bytes'];
    assert.equal(line(seconds + labels('a')), `${seconds}${labels('a')} 5 ${now}`);
    assert.equal(line(bytes + labels('a')), `${bytes}${labels('a')} ${2 ** 30} ${now}`);
    assert.equal(line(bytes + labels('b')), `${bytes}${labels('b')} ${16 * 2 ** 20} ${now}`);
    assert.equal(line(bytes + labels('over')), undefined);
    assert.equal(
      line('node_memory_working_set_bytes'),
      `node_memory_working_set_bytes ${2 ** 30 + 16 * 2 ** 20} ${now}`,
    );
  });

  it('is summed for each pod', () => {
    const { pods } = summary('nodes', [{ pod }], START, naming) as { pods: { cpu: { usageNanoCores: number } }[] };
    assert.equal(pods[0]?.cpu.usageNanoCores, 501_000_000);
  });
});
