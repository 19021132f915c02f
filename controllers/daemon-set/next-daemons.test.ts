import assert from 'node:assert/strict';
import type { Pod } from '#schema/generated/core.v1.ts';
import { isReady } from '../pods/pod-state.ts';
import { type Daemons, nextDaemons } from './next-daemons.ts';

/**
 * Pods in short form: `a` available, `r` ready, `n` not ready, `f` failed, `s` succeeded, `t` being deleted. Capitals
 * are pods of the present template.
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

describe('the steps of a daemon set', () => {
  const rows: [what: string, nodes: string, more: Partial<Daemons>, create: string, remove: string][] = [
    ['every node gets a pod', '- A -', {}, '0 2', ''],
    ['but those that it may not run on', '!- A', {}, '', ''],
    ['and those where it only may stay', '?- ?A', {}, '', ''],
    ['pods leave where they may not be', '!A A', {}, '', '0a'],
    ['of several the oldest stays', 'AN A', {}, '', '0b'],
    ['one that is going is waited for', 'T A', {}, '', ''],
    ['those that failed go', 'F A', {}, '', '0a'],
    ['but not too often', 'F A', { mayReplaceFailed: () => false }, '', ''],
    ['those that succeeded go', 'S A', {}, '', '0a'],
    ['old ones go, as many as may be missing', 'a a a', { unavailable: 2 }, '', '0a 1a'],
    ['fewer while one is coming', 'N a a', { unavailable: 2 }, '', '1a'],
    ['not while one is going', 't a a', {}, '', ''],
    ['not before a new one was ready for long enough', 'R a a', {}, '', ''],
    ['those that are not available go at once', 'n N a', {}, '', '0a'],
    ['nothing goes where the user deletes', 'a a', { rolling: false }, '', ''],
    ['first every node gets its pod', 'a -', {}, '1', ''],
    ['with surge new ones come first', 'a a a', { surge: 1 }, '0', ''],
    ['beside those that are not available at once', 'n r a', { surge: 1 }, '0 1 2', ''],
    ['no more while one is coming', 'aN a', { surge: 1 }, '', ''],
    ['the old one goes when the new one is available', 'aA a', { surge: 1 }, '', '0a'],
    ['and the next new one comes when it has gone', 'tA a', { surge: 1 }, '1', ''],
    ['or when it is not ready itself', 'nN a', { surge: 1 }, '', '0a'],
    ['of several old ones one stays', 'aaN', { surge: 1 }, '', '0b'],
    ['nothing is left to do', 'A A', { surge: 1 }, '', ''],
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
