import assert from 'node:assert/strict';
import { FieldPath, inWordsOf, tooLong } from '#base/errors/field-error.ts';
import { releaseOf } from '#base/release/release.ts';
import { invalidShown, type Shown, shownList } from './go-list.ts';
import { shownIntOrString, shownLabels, shownSelector } from './shown-values.ts';

const releases = [releaseOf('1.36'), releaseOf('1.37')];

const typedSelector = (labels: string, requirements: string) =>
  `v1.LabelSelector{MatchLabels:${labels}, MatchExpressions:[]v1.LabelSelectorRequirement${requirements}}`;

describe('values in messages', () => {
  const cases: [shown: Shown, before: string, since: string][] = [
    [shownIntOrString(5), 'intstr.IntOrString{Type:0, IntVal:5, StrVal:""}', '5'],
    [shownIntOrString('5%'), 'intstr.IntOrString{Type:1, IntVal:0, StrVal:"5%"}', '"5%"'],
    [shownList('string', ['a', 'b']), '[]string{"a", "b"}', '["a","b"]'],
    [shownList('string', undefined), '[]string(nil)', 'null'],
    [shownLabels({ b: '2', a: '1' }), 'map[string]string{"a":"1", "b":"2"}', '{"a":"1","b":"2"}'],
    [shownLabels(undefined), 'map[string]string(nil)', 'null'],
    [shownSelector(undefined), '"null"', 'null'],
    [shownSelector({}), typedSelector('map[string]string(nil)', '(nil)'), '{}'],
    [
      shownSelector({ matchLabels: { a: '1' }, matchExpressions: [{ key: 'b', operator: 'Exists' }] }),
      typedSelector(
        'map[string]string{"a":"1"}',
        '{v1.LabelSelectorRequirement{Key:"b", Operator:"Exists", Values:[]string(nil)}}',
      ),
      '{"matchLabels":{"a":"1"},"matchExpressions":[{"key":"b","operator":"Exists"}]}',
    ],
  ];
  for (const [shown, before, since] of cases)
    it(`are ${before} before 1.37 and ${since} from 1.37 on`, () => {
      const errors = [invalidShown(new FieldPath('a'), shown, 'why')];
      const texts = releases.map((release) => inWordsOf(errors, release).map(({ body, text }) => [body, text]));
      assert.deepEqual(texts, [
        [[`Invalid value: ${before}: why`, `a: Invalid value: ${before}: why`]],
        [[`Invalid value: ${since}: why`, `a: Invalid value: ${since}: why`]],
      ]);
    });
});

describe('messages for texts that are too long', () => {
  const cases: [max: number, before: string, since: string][] = [
    [63, 'Too long: must have at most 63 bytes', 'Too long: may not be more than 63 bytes'],
    [1, 'Too long: must have at most 1 bytes', 'Too long: may not be more than 1 byte'],
  ];
  for (const [max, before, since] of cases)
    it(`name the limit of ${max} bytes in the words of each release`, () => {
      const bodies = releases.map((release) => inWordsOf([tooLong('a', '', max)], release).map(({ body }) => body));
      assert.deepEqual(bodies, [[before], [since]]);
    });
});
