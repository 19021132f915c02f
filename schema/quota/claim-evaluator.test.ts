import assert from 'node:assert/strict';
import { claimInScope } from './claim-evaluator.ts';

describe('claimInScope with the scope VolumeAttributesClass', () => {
  const named = { metadata: {}, spec: { volumeAttributesClassName: 'gold' } };
  const changing = {
    metadata: {},
    status: { modifyVolumeStatus: { targetVolumeAttributesClassName: 'gold', status: '' } },
  };
  const cases: [what: string, claim: object, operator: string, values: string[] | undefined, is: boolean][] = [
    ['a claim with a class', named, 'Exists', undefined, true],
    ['a claim with a class in the list', named, 'In', ['gold', 'silver'], true],
    ['a claim with another class', named, 'In', ['silver'], false],
    ['a claim that changes to the class', changing, 'In', ['gold'], true],
    ['a claim without a class', { metadata: {} }, 'Exists', undefined, false],
    ['a claim without a class', { metadata: {} }, 'DoesNotExist', undefined, true],
  ];
  for (const [what, claim, operator, values, is] of cases)
    it(`${what}: ${operator} ${values ?? ''}`, () => {
      const scope = { scopeName: 'VolumeAttributesClass', operator, ...(values && { values }) };
      assert.equal(claimInScope(claim as Parameters<typeof claimInScope>[0], scope), is);
    });

  it('does not count the claim for another scope', () => {
    assert.equal(claimInScope(named, { scopeName: 'BestEffort', operator: 'Exists' }), false);
  });
});
