import assert from 'node:assert/strict';
import { parseWithoutManagers } from '#server/cache/parse-without-managers.ts';
import { parseJson } from './parse.ts';
import { parseStored } from './parse-stored.ts';

function outlined(text: string): unknown {
  const body = `{"metadata":{"managedFields":[{"manager":"m"}]},"data":${text}}`;
  return (parseWithoutManagers(Buffer.from(body)) as { data?: unknown }).data;
}

/**
 * Each text starts with a different key, because the engine learns from one parse, and that must not affect another
 * text.
 */
const readers: readonly [what: string, first: string, read: (text: string) => unknown][] = [
  ['bodies', 'a', (text) => parseJson(text).value],
  ['stored objects', 'b', (text) => parseStored(Buffer.from(text))],
  ['outlines', 'c', outlined],
];

describe('object keys with escapes', () => {
  const key = 'k:{"name":"main"}';
  const asItBeginsInText = JSON.stringify(key).slice(1, 1 + key.length);
  for (const [what, first, read] of readers) {
    it(`stay different from similar keys in ${what}`, () => {
      for (let round = 0; round < 10; round++) {
        for (const keys of [
          [first, asItBeginsInText],
          [first, key],
        ]) {
          const object = Object.fromEntries(keys.map((name) => [name, 1]));
          assert.deepEqual(Object.keys(read(JSON.stringify(object)) as object), keys);
        }
      }
    });
  }
});
