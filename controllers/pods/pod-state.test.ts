import assert from 'node:assert/strict';
import type { Pod } from '#schema/generated/core.v1.ts';
import { countReady, isActive } from './pod-state.ts';

const NOW = Date.parse('2024-05-01T12:00:00Z');

const ready = (status: string, lastTransitionTime?: string) =>
  ({ metadata: {}, status: { conditions: [{ type: 'Ready', status, lastTransitionTime }] } }) as unknown as Pod;

describe('the state of pods', () => {
  it('counts those that were ready for long enough, and says when to count again', () => {
    const pods = [
      ready('True', '2024-05-01T11:59:00Z'),
      ready('True', '2024-05-01T11:59:55Z'),
      ready('True', '2024-05-01T11:59:57Z'),
      ready('False', '2024-05-01T11:00:00Z'),
      ready('True'),
    ];
    assert.deepEqual(countReady(pods, 10, NOW), { ready: 4, available: 1, nextInMs: 5000 });
    assert.deepEqual(countReady(pods, 0, NOW), { ready: 4, available: 4, nextInMs: undefined });
  });

  for (const [what, pod, active] of [
    ['a new pod', {}, true],
    ['a running one', { status: { phase: 'Running' } }, true],
    ['one that ended', { status: { phase: 'Succeeded' } }, false],
    ['one that failed', { status: { phase: 'Failed' } }, false],
    ['one that is being deleted', { metadata: { deletionTimestamp: '2024-05-01T11:00:00Z' } }, false],
  ] as const)
    it(`${what} is ${active ? '' : 'not '}active`, () => {
      assert.equal(isActive({ metadata: {}, ...pod } as Pod), active);
    });
});
