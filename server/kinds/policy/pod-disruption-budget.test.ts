import assert from 'node:assert/strict';
import { KindTester } from '../testing/kind-tester.ts';
import { podDisruptionBudget } from './pod-disruption-budget.ts';

const kind = new KindTester(podDisruptionBudget, 'policy.v1', 'PodDisruptionBudget');
const key = kind.naming.key('pdb/deprecated-v1beta1-empty-selector-match');

describe('a PodDisruptionBudget', () => {
  const selectors: [what: string, sent: object, stored: object][] = [
    ['the marker that selects nothing', { matchExpressions: [{ key, operator: 'Exists' }] }, {}],
    [
      'the marker that selects everything',
      { matchExpressions: [{ key, operator: 'DoesNotExist' }] },
      { matchExpressions: undefined },
    ],
    [
      'a marker with an unknown operator',
      { matchExpressions: [{ key, operator: 'Odd' }] },
      { matchExpressions: undefined },
    ],
    [
      'a marker together with labels',
      { matchLabels: { a: 'b' }, matchExpressions: [{ key, operator: 'Exists', values: ['x'] }] },
      { matchExpressions: undefined },
    ],
  ];
  for (const [what, selector, stored] of selectors) {
    it(`converts a selector of v1beta1 with ${what}`, () => {
      const { spec } = kind.created({ spec: { minAvailable: 1, selector } });
      const { matchExpressions, ...rest } = { ...selector, ...stored } as { matchExpressions?: object };
      assert.deepEqual(spec?.selector, matchExpressions === undefined ? rest : { ...rest, matchExpressions });
      assert.deepEqual(kind.errors({ spec: { minAvailable: 1, selector } }), []);
    });
  }
});
