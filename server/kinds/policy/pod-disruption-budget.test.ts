import assert from 'node:assert/strict';
import { KindTester } from '../testing/kind-tester.ts';
import { podDisruptionBudget } from './pod-disruption-budget.ts';

const kind = new KindTester(podDisruptionBudget, 'policy.v1', 'PodDisruptionBudget');
const key = kind.naming.key('pdb/deprecated-v1beta1-empty-selector-match');

describe('a disruption budget', () => {
  const selectors: [what: string, sent: object, stored: object][] = [
    ['the mark of nothing', { matchExpressions: [{ key, operator: 'Exists' }] }, {}],
    [
      'the mark of everything',
      { matchExpressions: [{ key, operator: 'DoesNotExist' }] },
      { matchExpressions: undefined },
    ],
    ['a mark that says nothing', { matchExpressions: [{ key, operator: 'Odd' }] }, { matchExpressions: undefined }],
    [
      'a mark beside labels',
      { matchLabels: { a: 'b' }, matchExpressions: [{ key, operator: 'Exists', values: ['x'] }] },
      { matchExpressions: undefined },
    ],
  ];
  for (const [what, selector, stored] of selectors) {
    it(`of an older version: ${what}`, () => {
      const { spec } = kind.created({ spec: { minAvailable: 1, selector } });
      const { matchExpressions, ...rest } = { ...selector, ...stored } as { matchExpressions?: object };
      assert.deepEqual(spec?.selector, matchExpressions === undefined ? rest : { ...rest, matchExpressions });
      assert.deepEqual(kind.errors({ spec: { minAvailable: 1, selector } }), []);
    });
  }
});
