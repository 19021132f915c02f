import assert from 'node:assert/strict';
import fc from 'fast-check';
import { jsonReason, unrecognizedBody } from '../errors/unrecognized-body.ts';
import { atOnce } from '../time/steps.ts';
import { JsonNumber, type JsonValue } from './json-value.ts';
import { MalformedBodyError } from './malformed-body-error.ts';
import { parseJson, parseJsonInSteps } from './parse.ts';
import { MAX_DEPTH } from './parse-exactly.ts';
import { stringify } from './stringify.ts';

describe('parseJson', () => {
  const values: [text: string, value: JsonValue, duplicates?: string[]][] = [
    ['{"a":[1,true,null,"x\\u00e9\\n"]}', { a: [1, true, null, 'x\u00e9\n'] }],
    [' \t\r\n1 ', 1],
    ['{"a":": { 1e5 \\" :"}', { a: ': { 1e5 " :' }],
    ['1.5', 1.5],
    ['[9007199254740993,1e2,3.0,-0.0]', ['9007199254740993', '1e2', '3.0', '-0.0'].map((text) => new JsonNumber(text))],
    ['[123456789012345678]', [new JsonNumber('123456789012345678')]],
    ['[1234567890123456]', [1234567890123456]],
    ['"\\ud800x\\udc00 \\ud83d\\ude00"', '\ufffdx\ufffd \u{1f600}'],
    ['{"data":{"k":"1","k":"2"}}', { data: { k: '2' } }, ['duplicate field "data.k"']],
    ['{"a":[{"b":1,"b":2,"b":3}]}', { a: [{ b: 3 }] }, ['duplicate field "a[0].b"']],
    ['[{"op":"add","op":"test"}]', [{ op: 'test' }], ['duplicate field "[0].op"']],
    [
      '{"metadata":{"name":"c","name":"d"},"spec":{"a":"1"},"spec":{"b":"2"},"zzz":1,"zzz":2}',
      { metadata: { name: 'd' }, spec: { b: '2' }, zzz: 2 },
      ['duplicate field "metadata.name"', 'duplicate field "spec"', 'duplicate field "zzz"'],
    ],
  ];
  for (const [text, value, duplicates = []] of values) {
    it(`reads ${text}`, () => {
      for (const input of [text, new TextEncoder().encode(text)]) {
        for (const { repeats, ...parsed } of [parseJson(input), atOnce(parseJsonInSteps(input))]) {
          assert.deepEqual(parsed, { value, duplicates });
          assert.equal(repeats !== undefined, duplicates.length > 0);
        }
      }
    });
  }

  const refused: [text: string, why: string][] = [
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a":1,', 'unexpected end of JSON input'],
    ['"x', 'unexpected end of JSON input'],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":007}', "invalid character '0' after object key:value pair"],
    ['{"a":+1}', "invalid character '+' looking for beginning of value"],
    ['{"a":NaN}', "invalid character 'N' looking for beginning of value"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e+x', "invalid character 'x' in exponent of numeric literal"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['not json', "invalid character 'o' in literal null (expecting 'u')"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['{} trailing', "invalid character 't' after top-level value"],
    ['\ufeff{}', "invalid character '\u00ef' looking for beginning of value"],
    ['// c', "invalid character '/' looking for beginning of value"],
  ];
  for (const [text, why] of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseJson(text), new MalformedBodyError(why));
      assert.throws(() => atOnce(parseJsonInSteps(text)), new MalformedBodyError(why));
    });
  }

  it('limits the nesting depth of arrays and objects, parsed at once or in steps', () => {
    for (const [open, inner, close] of [['[', '1', ']'] as const, ['{"a":', '1e2', '}'] as const]) {
      const nested = (depth: number) => open.repeat(depth) + inner + close.repeat(depth);
      assert.equal(stringify(parseJson(nested(MAX_DEPTH)).value), nested(MAX_DEPTH));
      assert.throws(() => parseJson(nested(MAX_DEPTH + 1)), /exceeded max depth/);
      assert.throws(() => atOnce(parseJsonInSteps(nested(MAX_DEPTH + 1))), /exceeded max depth/);
      assert.throws(() => parseJson(open.repeat(1_000_000)), MalformedBodyError);
    }
  });

  it('refuses bytes that are not valid UTF-8', () => {
    assert.throws(() => parseJson(Uint8Array.of(0x22, 0xe9, 0x22)), MalformedBodyError);
  });

  it('reads __proto__ as an ordinary key', () => {
    for (const text of ['{"__proto__":{"x":1}}', '{"__proto__":{"x":1e2}}', '{"__proto__":1,"__proto__":{"x":1}}']) {
      const { value } = parseJson(text);
      assert.deepEqual(Object.keys(value as object), ['__proto__']);
      assert.equal((value as { x?: unknown }).x, undefined);
    }
  });

  it('reads the same value again after stringify', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const { value } = parseJson(text);
        assert.deepEqual(parseJson(stringify(value)).value, value);
      }),
    );
  });

  it('keeps the spelling of every number after stringify', () => {
    const digits = fc.stringMatching(/^(0|-?[1-9][0-9]{0,24})(\.[0-9]{1,9})?([eE][-+]?[0-9]{1,3})?$/);
    fc.assert(
      fc.property(fc.array(digits), (numbers) => {
        const text = `{"n":[${numbers.join(',')}]}`;
        assert.equal(stringify(parseJson(text).value), text);
      }),
    );
  });
});

describe('unrecognizedBody', () => {
  const bodies: [body: string, shown: string][] = [
    ['', '<empty>'],
    ['{', '{'],
    ['[]', '5b5d'],
    ['{"apiVersion":"v1","kind":"ConfigMap"}', '{"apiVersion":"v1","kind":"Con ...'],
    ['x'.repeat(31), `${'78'.repeat(30)} ...`],
  ];
  for (const [body, shown] of bodies) {
    it(`shows ${shown}`, () => {
      const { message } = unrecognizedBody('ConfigMap', jsonReason('why'), body);
      assert.equal(
        message,
        `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: why (${shown})`,
      );
    });
  }
});
