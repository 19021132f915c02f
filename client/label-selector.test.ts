import assert from 'node:assert/strict';
import { selectorText, selects } from './label-selector.ts';

describe('label selectors', () => {
  const labels = { app: 'web', tier: 'front' };
  const expression = (key: string, operator: string, ...values: string[]) => ({
    matchExpressions: [{ key, operator, values }],
  });
  for (const [selector, expected] of [
    [undefined, false],
    [null, false],
    [{}, true],
    [{ matchLabels: { app: 'web' } }, true],
    [{ matchLabels: { app: 'web', tier: 'back' } }, false],
    [{ matchLabels: { constructor: 'x' } }, false],
    [expression('app', 'In', 'web', 'db'), true],
    [expression('app', 'In', 'db'), false],
    [expression('none', 'In', 'db'), false],
    [expression('app', 'NotIn', 'db'), true],
    [expression('none', 'NotIn', 'db'), true],
    [expression('app', 'NotIn', 'web'), false],
    [expression('app', 'Exists'), true],
    [expression('none', 'Exists'), false],
    [expression('none', 'DoesNotExist'), true],
    [expression('toString', 'DoesNotExist'), true],
    [expression('app', 'DoesNotExist'), false],
    [expression('app', 'Like', 'web'), false],
    [{ matchLabels: { app: 'web' }, ...expression('tier', 'NotIn', 'front') }, false],
  ] as const)
    it(`${JSON.stringify(selector)} selects: ${expected}`, () => {
      assert.equal(selects(selector as Parameters<typeof selects>[0], labels), expected);
    });

  for (const [selector, text] of [
    [undefined, ''],
    [{}, ''],
    [{ matchLabels: { b: '1', a: '2' } }, 'a=2,b=1'],
    [{ matchLabels: { d: '' }, ...expression('c', 'In', 'z', 'x') }, 'c in (x,z),d='],
    [expression('c', 'NotIn', 'z'), 'c notin (z)'],
    [expression('c', 'Exists'), 'c'],
    [expression('c', 'DoesNotExist'), '!c'],
  ] as const)
    it(`${JSON.stringify(selector)} is written ${JSON.stringify(text)}`, () => {
      assert.equal(selectorText(selector as Parameters<typeof selectorText>[0]), text);
    });
});
