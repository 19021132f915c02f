import assert from 'node:assert/strict';
import type { Pod } from '#schema/generated/core.v1.ts';
import { isReady } from '../pods/pod-state.ts';
import { type Daemons, nextDaemons } from './next-daemons.ts';

/**
 * Pods in short form: `a` available, `r` ready, `n` not ready, `f` failed, `s` succeeded, `t` being deleted. Capital
 * letters are pods of the present template.
 */
function pod(letter: string, name: string): Pod {
  const state = letter.toLowerCase();
  const status = state === 'n' || state === 'f' ? 'False' : 'True';
  const phase = { f: 'Failed', s: 'Succeeded' }[state] ?? 'Running';
  return {
    metadata: {
      name,
      labels: { new: String(letter !== state), available: String(state === 'a') },
      ...(state === 't' ? { deletionTimestamp: '2024-05-01T12:00:00Z' } : {}),
    },
    status: { phase, conditions: [{ type: 'Ready', status }] },
  } as unknown as Pod;
}

describe('next steps of a daemon set', () => {
  const rows: [what: string, nodes: string, more: Partial<Daemons>, create: string, remove: string][] = [
    ['every node gets a pod', '- A -', {}, '0 2', ''],
    ['nodes that refuse the pod get none', '!- A', {}, '', ''],
    ['nodes where the pod only stays get no new one', '?- ?A', {}, '', ''],
    ['pods are deleted on nodes that refuse them', '!A A', {}, '', '0a'],
    ['of several pods on a node the oldest stays', 'AN A', {}, '', '0b'],
    ['a terminating pod blocks a new one', 'T A', {}, '', ''],
    ['failed pods are deleted', 'F A', {}, '', '0a'],
    ['failed pods are deleted only as often as allowed', 'F A', { mayReplaceFailed: () => false }, '', ''],
    ['succeeded pods are deleted', 'S A', {}, '', '0a'],
    ['old pods are deleted up to maxUnavailable', 'a a a', { unavailable: 2 }, '', '0a 1a'],
    ['fewer old pods are deleted while a new pod is not ready', 'N a a', { unavailable: 2 }, '', '1a'],
    ['no old pod is deleted while another one terminates', 't a a', {}, '', ''],
    ['no old pod is deleted before a new one has been ready for minReadySeconds', 'R a a', {}, '', ''],
    ['old pods that are not available are deleted first', 'n N a', {}, '', '0a'],
    ['no old pod is deleted with OnDelete', 'a a', { rolling: false }, '', ''],
    ['nodes without a pod come before the update of others', 'a -', {}, '1', ''],
    ['with surge a new pod is created before the old one is deleted', 'a a a', { surge: 1 }, '0', ''],
    ['with surge all pods that are not available get a new pod at once', 'n r a', { surge: 1 }, '0 1 2', ''],
    ['with surge no further pod is created while one is not ready', 'aN a', { surge: 1 }, '', ''],
    ['with surge the old pod is deleted when the new one is available', 'aA a', { surge: 1 }, '', '0a'],
    ['with surge the next new pod is created while the old one terminates', 'tA a', { surge: 1 }, '1', ''],
    ['with surge an old pod that is not ready is deleted before the new one is ready', 'nN a', { surge: 1 }, '', '0a'],
    ['with surge one of several old pods stays', 'aaN', { surge: 1 }, '', '0b'],
    ['nothing to do when all pods are new', 'A A', { surge: 1 }, '', ''],
  ];
  for (const [what, text, more, create, remove] of rows)
    it(what, () => {
      const nodes = text.split(' ').map((word, i) => ({
        name: String(i),
        starts: !/^[!?]/.test(word),
        stays: !word.startsWith('!'),
        pods: [...word.replace(/[!?-]/g, '')].map((letter, j) => pod(letter, `${i}${'abc'[j]}`)),
      }));
      const steps = nextDaemons({
        nodes,
        lost: [],
        surge: 0,
        unavailable: 1,
        rolling: true,
        isUpdated: ({ metadata }) => metadata.labels?.['new'] === 'true',
        isReady,
        isAvailable: ({ metadata }) => metadata.labels?.['available'] === 'true',
        mayReplaceFailed: () => true,
        ...more,
      });
      assert.equal(steps.create.join(' '), create);
      assert.equal(steps.remove.map(({ metadata }) => metadata.name).join(' '), remove);
    });
});
