import assert from 'node:assert/strict';
import { claimInScope } from './claim-evaluator.ts';

describe('claims in the scope of classes of attributes', () => {
  const named = { metadata: {}, spec: { volumeAttributesClassName: 'gold' } };
  const changing = {
    metadata: {},
    status: { modifyVolumeStatus: { targetVolumeAttributesClassName: 'gold', status: '' } },
  };
  const cases: [what: string, claim: object, operator: string, values: string[] | undefined, is: boolean][] = [
    ['any', named, 'Exists', undefined, true],
    ['one that is named', named, 'In', ['gold', 'silver'], true],
    ['another', named, 'In', ['silver'], false],
    ['one that the volume is to have', changing, 'In', ['gold'], true],
    ['none', { metadata: {} }, 'Exists', undefined, false],
    ['none, asked for', { metadata: {} }, 'DoesNotExist', undefined, true],
  ];
  for (const [what, claim, operator, values, is] of cases)
    it(`${what} by ${operator} ${values ?? ''}`, () => {
      const scope = { scopeName: 'VolumeAttributesClass', operator, ...(values && { values }) };
      assert.equal(claimInScope(claim as Parameters<typeof claimInScope>[0], scope), is);
    });

  it('are in no other scope', () => {
    assert.equal(claimInScope(named, { scopeName: 'BestEffort', operator: 'Exists' }), false);
  });
});
