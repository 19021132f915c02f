import assert from 'node:assert/strict';
import { formatJson } from '#client/json.ts';
import { parseYamlDocuments } from '../manifests/parse-yaml.ts';

describe('parseYamlDocuments', () => {
  const cases: readonly (readonly [yaml: string, json: string])[] = [
    ['9007199254740991', '9007199254740991'],
    ['9007199254740993', '9007199254740993'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['18446744073709551615', '18446744073709551615'],
    ['12345678901234567890123', '12345678901234567890123'],
    ['+9007199254740993', '9007199254740993'],
    ['9_007_199_254_740_993', '9007199254740993'],
    ['0x20000000000001', '9007199254740993'],
    ['0400000000000000001', '9007199254740993'],
    ['!!int "9007199254740993"', '9007199254740993'],
    ['"9007199254740993"', '"9007199254740993"'],
    ['[&x {a: 9007199254740993}, *x]', '[{"a":9007199254740993},{"a":9007199254740993}]'],
    ['{9007199254740993: x}', '{"9007199254740993":"x"}'],
    ['-0', '0'],
    ['1.5', '1.5'],
    ['1e3', '1000'],
  ];
  /**
   * Values that the YAML package reads as another type. It reads times as numbers to the base 60, and `e1` not as a
   * number.
   */
  const scalars: readonly (readonly [yaml: string, json: string])[] = [
    ['1:30', '"1:30"'],
    ['190:20:30', '"190:20:30"'],
    ['12:30:00', '"12:30:00"'],
    ['2001-01-01', '"2001-01-01"'],
    ['e1', '"e1"'],
    ['0o17', '15'],
    ['0O17', '15'],
    ['+0o7', '7'],
    ['017', '15'],
    ['08', '8'],
    ['0X1F', '31'],
    ['0B1', '1'],
    ['1_000', '1000'],
    ['.5', '0.5'],
    ['1e400', '"1e400"'],
    ['[yes, off, y, N]', '[true,false,true,false]'],
    ['[~, null, Null, nUll]', '[null,null,null,"nUll"]'],
    ['!!float 3', '3'],
    ['!!bool "yes"', 'true'],
    ['!!str 1', '"1"'],
    ['!!binary aGk=', '"hi"'],
    ['{<<: {a: 1}, b: 2}', '{"a":1,"b":2}'],
    ['{1: a, true: b, ~: c}', '{"1":"a","true":"b","":"c"}'],
  ];
  for (const [yaml, json] of scalars)
    it(`reads ${yaml} as the server does`, () => {
      assert.equal(formatJson(parseYamlDocuments(yaml, '')[0] as never), json);
    });

  it('reads YAML 1.1 booleans as texts on request', () => {
    const [words] = parseYamlDocuments('[yes, off, y, N, true, False]', '', true);
    assert.deepEqual(words, ['yes', 'off', 'y', 'N', true, false]);
  });

  it('refuses numbers that JSON cannot express', () => {
    for (const yaml of ['a: .inf', '[-.INF]', '.nan'])
      assert.throws(() => parseYamlDocuments(yaml, 'f'), {
        message: /^error parsing f: error converting YAML to JSON: json: unsupported value: -?\.(inf|INF|nan)$/,
      });
  });

  for (const [yaml, json] of cases)
    it(`keeps the digits of ${yaml}`, () => assert.equal(formatJson(parseYamlDocuments(yaml, '')[0] as never), json));
});
