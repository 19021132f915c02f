import assert from 'node:assert/strict';
import { serviceUnavailable } from '#base/errors/status-error.ts';
import type { Stored } from '#storage/object-store.ts';
import { conditionsOf, requireHolding, StaleDefinition, type WriteCondition } from './write-condition.ts';

function rest(...revisions: number[]): WriteCondition {
  return {
    conditions: revisions.map((revision, i) => ({ key: `/k${i}`, revision })),
    renew: async () => {},
    refusal: () => serviceUnavailable('it keeps changing'),
  };
}

const found = (...revisions: number[]): (Stored | undefined)[] =>
  revisions.map((revision) => (revision === 0 ? undefined : { key: '', value: Buffer.alloc(0), revision }));

describe('the write conditions of a request', () => {
  const [definition, policies] = [rest(7), rest(8, 0)];
  const both = [definition, policies];
  const cases: [
    about: string,
    rests: readonly WriteCondition[],
    current: number[],
    stale: WriteCondition | undefined,
  ][] = [
    ['no conditions', [], [1, 2], undefined],
    ['unchanged revisions, after the conditions of the object', both, [1, 2, 7, 8, 0], undefined],
    ['a definition that has changed', both, [7, 9, 8, 0], definition],
    ['a definition that was deleted', [definition], [7, 0], definition],
    ['policies that have changed', both, [1, 7, 9, 0], policies],
    ['a parameter that was absent and now exists', both, [1, 7, 8, 3], policies],
  ];
  for (const [about, rests, current, stale] of cases)
    it(`${stale === undefined ? 'hold' : 'do not hold'} with ${about}`, () => {
      assert.equal(conditionsOf(rests).length, rests.flatMap(({ conditions }) => conditions).length);
      const check = () => requireHolding(rests, found(...current));
      if (stale === undefined) check();
      else assert.throws(check, (error) => error instanceof StaleDefinition && error.condition === stale);
    });
});
