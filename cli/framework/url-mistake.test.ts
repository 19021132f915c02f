import assert from 'node:assert/strict';
import { pathAndQuery, urlMistake } from './url-mistake.ts';

const refused: readonly (readonly [text: string, mistake: string])[] = [
  ['x', 'invalid URI for request'],
  ['?x', 'invalid URI for request'],
  ['%zz', 'invalid URI for request'],
  [':x', 'missing protocol scheme'],
  ['/a\nb', 'net/url: invalid control character in URL'],
  ['/%zz', 'invalid URL escape "%zz"'],
  ['/a%2', 'invalid URL escape "%2"'],
  ['http://h:x/', 'invalid port ":x" after host'],
  ['http://x:y:z', 'invalid port ":z" after host'],
  ['http://[::1/', "missing ']' in host"],
];

const sent: readonly (readonly [text: string, path: string])[] = [
  ['/healthz', '/healthz'],
  ['/healthz#x', '/healthz'],
  ['//h/healthz?verbose', '/healthz?verbose'],
  ['https://h:1/a?b=c#d', '/a?b=c'],
  ['http://[::1]:6443', '/'],
  ['a:b', '/'],
  ['/a b/é?x=é y', '/a%20b/%C3%A9?x=%C3%A9%20y'],
  ['/a%20b?c=%zz', '/a%20b?c=%zz'],
];

describe('urlMistake and pathAndQuery', () => {
  for (const [text, mistake] of refused)
    it(`${JSON.stringify(text)}: ${mistake}`, () => assert.equal(urlMistake(text), mistake));
  for (const [text, path] of sent)
    it(`${text} is requested as ${path}`, () => {
      assert.equal(urlMistake(text), undefined);
      assert.equal(pathAndQuery(text), path);
    });
});
