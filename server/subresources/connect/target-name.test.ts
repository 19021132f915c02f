import assert from 'node:assert/strict';
import { requestInfo } from '../../api/request-info.ts';
import { behindPrefix, splitPath, targetName } from './target-name.ts';

describe('targetName', () => {
  const table: Record<string, ReturnType<typeof targetName>> = {
    web: { secure: false, name: 'web', port: '' },
    'web:80': { secure: false, name: 'web', port: '80' },
    'http:web:http': { secure: false, name: 'web', port: 'http' },
    'https:web:': { secure: true, name: 'web', port: '' },
    ':web:1': { secure: false, name: 'web', port: '1' },
    'ftp:web:1': undefined,
    'a:b:c:d': undefined,
    ':80': undefined,
    '': undefined,
  };
  for (const [text, target] of Object.entries(table)) {
    it(`parses ${JSON.stringify(text)}`, () => assert.deepEqual(targetName(text), target));
  }
});

describe('splitPath', () => {
  const base = '/api/v1/namespaces/n/services/s/proxy';
  const table: Record<string, [prefix: string, rest: string]> = {
    [base]: [base, ''],
    [`${base}/`]: [base, '/'],
    [`${base}/a//b%2Fc/`]: [base, '/a//b%2Fc/'],
    [`${base}/proxy/../x`]: [base, '/proxy/../x'],
    [`/${base}/x`]: [base, '/x'],
    [`${base}%2Fx%2Fy`]: [base, '/x%2Fy'],
    [`/api/v1/namespaces%2Fn/services/s/proxy/x`]: ['/api/v1/namespaces%2Fn/services/s/proxy', '/x'],
    '/api/v1/nodes/n/proxy/metrics': ['/api/v1/nodes/n/proxy', '/metrics'],
  };
  for (const [path, [prefix, rest]] of Object.entries(table)) {
    it(path, () => assert.deepEqual(splitPath(requestInfo('GET', path, new URLSearchParams())), { prefix, rest }));
  }
});

describe('behindPrefix for redirects of a backend', () => {
  const table: [location: string, expected: string][] = [
    ['/login', '/p/login'],
    ['http://10.0.0.1:80/login?a=b', '/p/login?a=b'],
    ['//10.0.0.1:80', '/p/'],
    ['https://elsewhere.example/login', 'https://elsewhere.example/login'],
    ['next', 'next'],
    ['/p/login', '/p/login'],
  ];
  for (const [location, expected] of table) {
    it(location, () => assert.equal(behindPrefix(location, '10.0.0.1:80', '/p'), expected));
  }
});
