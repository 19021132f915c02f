import assert from 'node:assert/strict';
import { urlProblem } from './url-problem.ts';

const FINE = [
  '',
  'https://x',
  'https://x:1/y?a=b#c',
  'https://x:/',
  'https://user:word@x',
  'https://[fd00::1]:8443/a%20b',
  'https://1.2.3.4/ü',
  'mailto:x',
  'x/y',
  '//x/y',
  'https:///y',
  'https://[fe80::1%25en0]:1/',
  'https://a%C3%BCb/',
];

const BAD: [url: string, problem: string][] = [
  ['://x', 'missing protocol scheme'],
  ['1https://x', 'first path segment in URL cannot contain colon'],
  ['https://x:abc/y', 'invalid port ":abc" after host'],
  ['https://[fd00::1]x', 'invalid port "x" after host'],
  ['https://[fd00::1', "missing ']' in host"],
  ['https:// /y', 'invalid character " " in host name'],
  ['https://x^y', 'invalid character "^" in host name'],
  ['https://us er@x', 'net/url: invalid userinfo'],
  ['https://x/%zz', 'invalid URL escape "%zz"'],
  ['https://a%20b/', 'invalid URL escape "%20"'],
  ['https://x/%2', 'invalid URL escape "%2"'],
  ['https://x/\n', 'net/url: invalid control character in URL'],
];

describe('URLs', () => {
  for (const url of FINE) it(`${JSON.stringify(url)} can be read`, () => assert.equal(urlProblem(url), undefined));
  for (const [url, problem] of BAD)
    it(`${JSON.stringify(url)}: ${problem}`, () => assert.equal(urlProblem(url), problem));
});
