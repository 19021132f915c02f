import assert from 'node:assert/strict';
import { isTarget, originForm, queryOf } from './target.ts';

describe('the target of a request', () => {
  const forms: Record<string, string> = {
    '/a?b': '/a?b',
    'http://h/a?b': '/a?b',
    'https://h?b': '/?b',
    'https://h': '/',
    'https://[::1/a': '/a',
    '*': '*',
    '//h/a': '//h/a',
  };
  for (const [target, expected] of Object.entries(forms))
    it(`${target} is read as ${expected}`, () => assert.equal(originForm(target), expected));

  const read: Record<string, boolean> = {
    '/a%20b': true,
    '/a%ffb': true,
    '/a%': false,
    '/a%2': false,
    '/a%zz/b': false,
    '/a?b=%zz': true,
    'https://h/a': true,
    'https://h/%': false,
    '*': true,
  };
  for (const [target, expected] of Object.entries(read))
    it(`${target} has ${expected ? 'a valid' : 'an invalid'} path`, () => assert.equal(isTarget(target), expected));

  const queries: Record<string, string[][]> = {
    '/a': [],
    '/a?b=1&c': [
      ['b', '1'],
      ['c', ''],
    ],
    '/a?b=%20+': [['b', '  ']],
    '/a?b=%zz&c=1': [['c', '1']],
    '/a?%=1&c=1': [['c', '1']],
    '/a?b=1;c=2&d=3': [['d', '3']],
    '/a??b=1': [['?b', '1']],
    '/a?b=%3B': [['b', ';']],
  };
  for (const [target, expected] of Object.entries(queries))
    it(`${target} has the query parameters ${JSON.stringify(expected)}`, () =>
      assert.deepEqual([...queryOf(target)], expected));
});
