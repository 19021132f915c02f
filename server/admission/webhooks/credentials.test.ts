import assert from 'node:assert/strict';
import { authorizationOf } from '../../outbound/webhook-connection.ts';
import { credentialsIn } from './credentials.ts';

describe('credentials for webhooks', () => {
  const find = credentialsIn({
    byName: new Map(
      ['a.example.com', 'a.example.com:8443', '*.example.com', '*.svc:9443', '*'].map((name) => [
        name,
        { token: name },
      ]),
    ),
    current: { token: 'current' },
  });
  const rows: [host: string, user: string][] = [
    ['a.example.com:443', 'a.example.com'],
    ['a.example.com:8443', 'a.example.com:8443'],
    ['a.example.com:1', '*'],
    ['b.example.com:443', '*.example.com'],
    ['c.b.example.com:443', '*.example.com'],
    ['example.com:443', '*'],
    ['hook.ns.svc:9443', '*.svc:9443'],
    ['hook.ns.svc:443', '*'],
    ['127.0.0.1:8443', '*'],
  ];
  for (const [host, user] of rows) {
    it(`for ${host} are those of ${user}`, () => assert.equal(find(host)?.token, user));
  }

  it('are those of the current context if no name matches', () => {
    assert.equal(credentialsIn({ byName: new Map(), current: { token: 'c' } })('h:443')?.token, 'c');
    assert.equal(credentialsIn({ byName: new Map(), current: undefined })('h:443'), undefined);
  });

  it('are sent in one Authorization header', async () => {
    assert.equal(await authorizationOf({ token: 't', username: 'u' }), 'Bearer t');
    assert.equal(await authorizationOf({ username: 'u', password: 'p' }), `Basic ${btoa('u:p')}`);
    assert.equal(await authorizationOf({ clientKey: 'k' }), undefined);
    assert.equal(await authorizationOf(undefined), undefined);
  });
});
