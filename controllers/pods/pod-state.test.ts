import assert from 'node:assert/strict';
import type { Pod } from '#schema/generated/core.v1.ts';
import { countReady, isActive } from './pod-state.ts';

const NOW = Date.parse('2024-05-01T12:00:00Z');

const ready = (status: string, lastTransitionTime?: string) =>
  ({ metadata: {}, status: { conditions: [{ type: 'Ready', status, lastTransitionTime }] } }) as unknown as Pod;

describe('the state of pods', () => {
  it('counts pods that have been ready for minReadySeconds, and returns when to count again', () => {
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
    ['a running pod', { status: { phase: 'Running' } }, true],
    ['a succeeded pod', { status: { phase: 'Succeeded' } }, false],
    ['a failed pod', { status: { phase: 'Failed' } }, false],
    ['a terminating pod', { metadata: { deletionTimestamp: '2024-05-01T11:00:00Z' } }, false],
  ] as const)
    it(`${what} is ${active ? '' : 'not '}active`, () => {
      assert.equal(isActive({ metadata: {}, ...pod } as Pod), active);
    });
});
