import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import type { FieldSelectorAttributes, LabelSelectorAttributes } from '#schema/generated/authorization.v1.ts';
import { checkSelectors, type ReviewRequirement, readFields, readLabels } from './selector-attributes.ts';

const one = (key: string, operator: string, ...values: string[]) => ({ key, operator, values });
const needs = (key: string, operator: ReviewRequirement['operator'], ...values: string[]): ReviewRequirement => ({
  key,
  operator,
  ...(values.length > 0 && { values }),
});

describe('the selectors in an access review', () => {
  const fields: [FieldSelectorAttributes | undefined, ReviewRequirement[], failed: boolean][] = [
    [undefined, [], false],
    [{}, [], false],
    [{ rawSelector: 'a=b,c!=d' }, [needs('a', 'In', 'b'), needs('c', 'NotIn', 'd')], false],
    [{ rawSelector: 'a==' }, [needs('a', 'In', '')], false],
    [{ rawSelector: 'x' }, [], true],
    [{ requirements: [one('a', 'In', 'b')] }, [needs('a', 'In', 'b')], false],
    [{ requirements: [one('a', 'In', 'b', 'c'), one('d', 'NotIn', 'e')] }, [needs('d', 'NotIn', 'e')], true],
    [{ requirements: [one('a', 'Exists')] }, [], true],
    [{ requirements: [one('a', 'Later', 'b')] }, [], true],
  ];
  for (const [selector, requirements, failed] of fields)
    it(`of fields ${JSON.stringify(selector)} are read${failed ? ' partly' : ''}`, () => {
      assert.deepEqual(readFields(selector), { requirements, failed });
    });

  const labels: [LabelSelectorAttributes | undefined, ReviewRequirement[], failed: boolean][] = [
    [undefined, [], false],
    [
      { rawSelector: 'a in (b,c),d!=e,f,!g' },
      [needs('a', 'In', 'b', 'c'), needs('d', 'NotIn', 'e'), needs('f', 'Exists'), needs('g', 'DoesNotExist')],
      false,
    ],
    [{ rawSelector: 'a>1,b=c' }, [needs('b', 'In', 'c')], false],
    [{ rawSelector: '!!' }, [], true],
    [{ requirements: [one('a', 'Exists'), one('b', 'In', '-')] }, [needs('a', 'Exists')], true],
    [{ requirements: [one('a', 'constructor')] }, [], true],
  ];
  for (const [selector, requirements, failed] of labels)
    it(`of labels ${JSON.stringify(selector)} are read${failed ? ' partly' : ''}`, () => {
      assert.deepEqual(readLabels(selector), { requirements, failed });
    });

  const wrong: [Parameters<typeof checkSelectors>[0], fields: string[]][] = [
    [{}, []],
    [{ fieldSelector: { rawSelector: 'a' }, labelSelector: { requirements: [one('a', 'Later')] } }, []],
    [{ fieldSelector: {} }, ['fieldSelector.requirements']],
    [{ labelSelector: { requirements: [] } }, ['labelSelector.requirements']],
    [{ fieldSelector: { rawSelector: 'a', requirements: [one('a', 'In', 'b')] } }, ['fieldSelector.rawSelector']],
    [
      { fieldSelector: { requirements: [one('', 'In')] } },
      ['fieldSelector.requirements[0].values', 'fieldSelector.requirements[0].key'],
    ],
    [{ labelSelector: { requirements: [one('a', 'Exists', 'b')] } }, ['labelSelector.requirements[0].values']],
    [{ labelSelector: { requirements: [one('a', 'In', '-')] } }, ['labelSelector.requirements[0].values[0]']],
  ];
  for (const [selectors, expected] of wrong)
    it(`${JSON.stringify(selectors)} are refused at ${expected.join(' and ') || 'nothing'}`, () => {
      const refused = checkSelectors(selectors, new FieldPath('spec')).map(({ field }) => field);
      assert.deepEqual(
        refused,
        expected.map((field) => `spec.${field}`),
      );
    });
});
