import assert from 'node:assert/strict';
import { parseYamlDocuments } from './parse-yaml.ts';

const cases: readonly (readonly [text: string, said: string])[] = [
  ['a: 1\n\tb: 2\n', 'line 2: found a tab character that violates indentation'],
  ['\t- x\n', 'found character that cannot start any token'],
  ['a:\n\tb: 2\n', 'line 2: found character that cannot start any token'],
  ['a: 1\nb: {c: d\n', "line 2: did not find expected ',' or '}'"],
  ['a: 1\nb: [c\n', "line 2: did not find expected ',' or ']'"],
  ['a: [\n', 'line 1: did not find expected node content'],
  ['a: "b\nc: d\n', 'line 3: found unexpected end of stream'],
  ['a: b\n c: d\n', 'line 2: mapping values are not allowed in this context'],
  ['a: b: c\n', 'mapping values are not allowed in this context'],
  ['a: b\nc d\ne: f\n', "line 3: could not find expected ':'"],
  ['a: *b\n', "unknown anchor 'b' referenced"],
  ['a: \u0007\n', 'control characters are not allowed'],
  ['a: b\nc: @d\n', 'line 2: found character that cannot start any token'],
  ['%YAML 1.1\n', 'line 1: did not find expected <document start>'],
];

describe('errors in YAML', () => {
  for (const [text, said] of cases)
    it(said, () => {
      assert.throws(() => parseYamlDocuments(text, 'x'), {
        message: `error parsing x: error converting YAML to JSON: yaml: ${said}`,
      });
    });

  it('do not include duplicate keys', () => {
    assert.deepEqual(parseYamlDocuments('a: 1\na: 2\n', 'x'), [{ a: 2 }]);
  });
});
