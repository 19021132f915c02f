import assert from 'node:assert/strict';
import { JsonNumber, type JsonValue } from './json-value.ts';
import { stringify } from './stringify.ts';

describe('stringify', () => {
  const texts: [value: unknown, text: string][] = [
    [{ a: 1, b: undefined, c: ['<&>'] }, '{"a":1,"c":["<&>"]}'],
    [
      { n: new JsonNumber('1e2'), u: undefined, l: [null, new JsonNumber('3.0'), 'x\n'] },
      '{"n":1e2,"l":[null,3.0,"x\\n"]}',
    ],
    [
      { n: new JsonNumber('9007199254740993'), at: new Date(0) },
      '{"n":9007199254740993,"at":"1970-01-01T00:00:00.000Z"}',
    ],
  ];
  for (const [value, text] of texts) it(`writes ${text}`, () => assert.equal(stringify(value as JsonValue), text));
});
