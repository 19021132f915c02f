import assert from 'node:assert/strict';
import type { Pod } from '#schema/generated/core.v1.ts';
import { dueStages, type Stage, type StageTimes, stageMs } from './stages.ts';

const pod = (more: Partial<Pod['metadata']> = {}, phase = 'Running', ready = 'True'): Pod => ({
  metadata: { name: 'p', namespace: 'shop', labels: { app: 'web' }, ...more },
  spec: { nodeName: 'node-1', containers: [] },
  status: { phase, conditions: [{ type: 'Ready', status: ready }] },
});
const stage = (more: Partial<Stage> = {}): Stage => ({ name: 's', next: { delete: true }, ...more });

describe('stages of simulated pods', () => {
  const cases: readonly (readonly [what: string, match: NonNullable<Stage['match']>, Pod, boolean])[] = [
    ['everything', {}, pod(), true],
    ['a namespace', { namespaces: ['shop'] }, pod(), true],
    ['not another namespace', { namespaces: ['other'] }, pod(), false],
    ['labels', { labels: { app: 'web' } }, pod(), true],
    ['not another label', { labels: { app: 'db' } }, pod(), false],
    ['annotations', { annotations: { a: 'b' } }, pod({ annotations: { a: 'b' } }), true],
    [
      'owners',
      { owners: ['Job'] },
      pod({ ownerReferences: [{ apiVersion: '', kind: 'Job', name: '', uid: '' }] }),
      true,
    ],
    ['pods with other owners', { owners: ['Job'] }, pod(), false],
    ['nodes', { nodes: ['node-1'] }, pod(), true],
    ['phases', { phases: ['Pending', 'Running'] }, pod(), true],
    ['pods in another phase', { phases: ['Pending'] }, pod(), false],
    ['ready pods', { ready: true }, pod(), true],
    ['pods that are not ready', { ready: false }, pod(), false],
    ['no pods that are being deleted', {}, pod({ deletionTimestamp: '2026-01-01T00:00:00Z' }), false],
  ];
  for (const [what, match, one, expected] of cases)
    it(`match ${what}`, () => {
      const { stages } = dueStages([stage({ match })], one, new Map(), 0, () => 0);
      assert.equal(stages.length === 1, expected);
    });

  it('happen once after a delay with jitter', () => {
    const times: StageTimes = new Map();
    const at = (now: number) => dueStages([stage({ delay: '2s', jitter: '1s' })], pod(), times, now, () => 0.5);
    assert.deepEqual(at(1000), { stages: [], nextAt: 3500 });
    assert.equal(at(3499).stages.length, 0);
    assert.equal(at(3500).stages.length, 1);
    assert.deepEqual(at(9000), { stages: [], nextAt: undefined });
  });

  it('wait again if the pod stopped matching', () => {
    const times: StageTimes = new Map();
    const at = (now: number, one: Pod) =>
      dueStages([stage({ delay: '2s', match: { ready: true } })], one, times, now, () => 0);
    assert.equal(at(0, pod()).nextAt, 2000);
    assert.equal(at(1000, pod({}, 'Running', 'False')).nextAt, undefined);
    assert.equal(at(1500, pod()).nextAt, 3500);
  });

  it('happen to a percentage of the pods', () => {
    const happens = (number: number) =>
      dueStages([stage({ percent: 30 })], pod(), new Map(), 0, () => number).stages.length;
    assert.deepEqual([happens(0.29), happens(0.31)], [1, 0]);
  });

  it('stageMs reads durations', () => {
    assert.deepEqual(['500ms', '5s', '1.5m', '2h', undefined].map(stageMs), [500, 5000, 90_000, 7_200_000, 0]);
  });
});
