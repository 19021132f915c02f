import assert from 'node:assert/strict';
import { endpointText, parseEndpoint } from './endpoint.ts';

describe('parseEndpoint and endpointText', () => {
  for (const [text, expected] of [
    ['https://etcd:2379', { kind: 'etcd', servers: ['https://etcd:2379'] }],
    ['http://[::1]:2379,unix:///run/etcd', { kind: 'etcd', servers: ['http://[::1]:2379', 'unix:///run/etcd'] }],
    ['sqlite:///var/lib/store', { kind: 'file', file: '/var/lib/store' }],
    ['memory:', { kind: 'memory' }],
  ] as const) {
    it(`read and write ${text}`, () => {
      assert.deepEqual(parseEndpoint(text), expected);
      assert.equal(endpointText(expected), text);
    });
  }

  for (const text of [
    '',
    'store',
    'sqlite:',
    'sqlite://store',
    'sqlite:///',
    'sqlite:////folder/',
    'memory',
    'mysql://a',
  ]) {
    it(`refuse ${JSON.stringify(text)}`, () => assert.equal(parseEndpoint(text), undefined));
  }
});
