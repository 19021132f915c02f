import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '#base/errors/config-error.ts';
import { StatusError, serviceUnavailable } from '#base/errors/status-error.ts';
import { CLIENT_AUTH, CN, makeAuthority, makeCertificate, O, SERVER_AUTH } from '#base/x509/make-certificate.ts';
import type { UserInfo } from '../api/user-info.ts';
import { forAnyAudienceOf } from './audiences.ts';
import { CaBundle } from './ca-bundle.ts';
import { clientCertificateAuthenticator } from './client-certificate.ts';
import { requestHeaderAuthenticator } from './request-header.ts';
import { makeRequest } from './testing/make-request.ts';
import { tokenFileAuthenticator } from './token-file.ts';
import { authentication } from './union.ts';

const audiences = ['us'];
const anonymous: UserInfo = { name: 'system:anonymous', uid: '', groups: ['system:unauthenticated'], extra: {} };
const bob: UserInfo = { name: 'bob', uid: 'uid-bob', groups: ['dev', 'ops', 'system:authenticated'], extra: {} };

describe('authentication of a request', () => {
  let directory: string;
  const authority = makeAuthority('clients');
  const frontAuthority = makeAuthority('proxies');
  const proxy = makeCertificate({ subject: [[CN, 'front-proxy']], by: frontAuthority, usages: [CLIENT_AUTH] });
  const alice = makeCertificate({
    subject: [
      [O, 'dev'],
      [CN, 'alice'],
    ],
    by: authority,
    usages: [CLIENT_AUTH],
  });
  const mallory = makeCertificate({
    subject: [
      [O, 'system:masters'],
      [CN, 'mallory'],
    ],
  });
  const file = (name: string, content: string) => {
    writeFileSync(path.join(directory, name), content);
    return path.join(directory, name);
  };
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'authn-'));
  });
  after(() => rmSync(directory, { recursive: true }));

  const server = (anonymousAllowed = true) =>
    authentication({
      request: [
        requestHeaderAuthenticator({
          authorities: new CaBundle(file('front.pem', frontAuthority.pem)),
          allowedNames: ['front-proxy'],
          usernameHeaders: ['X-Remote-User'],
          groupHeaders: ['X-Remote-Group'],
          extraHeaderPrefixes: ['X-Remote-Extra-'],
        }),
        clientCertificateAuthenticator(new CaBundle(file('ca.pem', authority.pem))),
      ],
      token: [
        forAnyAudienceOf(
          audiences,
          tokenFileAuthenticator(file('tokens.csv', 'bob-token,bob,uid-bob,"dev,ops"\ncarol-token,carol,uid-carol\n')),
        ),
      ],
      anonymous: () => anonymousAllowed,
      audiences,
      webSocketTokenPrefix: 'base64url.bearer.example.',
    });

  const headers: [header: string, user: UserInfo | 401][] = [
    ['Bearer bob-token', bob],
    ['bearer bob-token', bob],
    ['BEARER bob-token', bob],
    ['Bearer bob-token extra', bob],
    ['  Bearer bob-token  ', bob],
    ['Bearer nonsense', 401],
    ['Bearer "bob-token"', 401],
    ['Bearer', anonymous],
    ['Bearer ', anonymous],
    ['Bearer  bob-token', anonymous],
    ['Bearer\tbob-token', anonymous],
    ['Bearer: bob-token', anonymous],
    ['Token bob-token', anonymous],
    ['Basic Ym9iOmJvYg==', anonymous],
    ['bob-token', anonymous],
    ['', anonymous],
  ];
  for (const [header, expected] of headers)
    it(`Authorization: ${JSON.stringify(header)}`, async () => {
      const found = Promise.resolve(server().user(makeRequest({ authorization: header })));
      if (expected === 401) await assert.rejects(found, (error) => error instanceof StatusError && error.code === 401);
      else assert.deepEqual(await found, expected);
    });

  it('warns about a token that is ignored because of an extra space', async () => {
    const request = makeRequest({ authorization: 'Bearer  bob-token' });
    await server().user(request);
    assert.deepEqual(request.warnings, [
      'the provided Authorization header contains extra space before the bearer token, and is ignored',
    ]);
  });

  it('accepts a token in the subprotocols of a WebSocket upgrade, but not of other requests', async () => {
    const protocol = { 'sec-websocket-protocol': 'base64url.bearer.example.Ym9iLXRva2Vu, v4.channel' };
    const upgrade = { connection: 'keep-alive, Upgrade', upgrade: 'websocket' };
    assert.deepEqual(await server().user(makeRequest({ ...protocol, ...upgrade })), bob);
    assert.deepEqual(await server().user(makeRequest(protocol)), anonymous);
  });

  const dev = { name: 'alice', uid: '', groups: ['dev', 'system:authenticated'], extra: {} };
  const cases: [what: string, request: Parameters<typeof makeRequest>, user: UserInfo | 401][] = [
    ['returns the anonymous user without credentials', [{}], anonymous],
    ['accepts a certificate', [{}, alice], dev],
    ['prefers a certificate to a token', [{ authorization: 'Bearer bob-token' }, alice], dev],
    ['prefers a certificate to a bad token', [{ authorization: 'Bearer nonsense' }, alice], dev],
    ['refuses a bad certificate', [{}, mallory], 401],
    ['accepts a token together with a bad certificate', [{ authorization: 'Bearer bob-token' }, mallory], bob],
    ['refuses a proxy without a user', [{}, proxy], 401],
    ['refuses a proxy with only a group', [{ 'x-remote-group': 'system:masters' }, proxy], 401],
    ['refuses a proxy with an empty user name', [{ 'x-remote-user': ['', 'second'] }, proxy], 401],
    ['accepts a token together with a proxy without a user', [{ authorization: 'Bearer bob-token' }, proxy], bob],
    [
      'prefers the user of a proxy to a token',
      [{ 'x-remote-user': 'pat', authorization: 'Bearer nonsense' }, proxy],
      { name: 'pat', uid: '', groups: ['system:authenticated'], extra: {} },
    ],
    [
      'reads groups and extra fields from a proxy',
      [
        {
          'x-remote-user': 'pat',
          'x-remote-group': ['g1', '', 'g2', 'g1'],
          'x-remote-extra-scopes': ['a', 'b'],
          'x-remote-extra-example.com%2fsome%20key': 'a%2Fb, c',
          'x-remote-extra-bad%zz': '',
        },
        proxy,
      ],
      {
        name: 'pat',
        uid: '',
        groups: ['g1', 'g2', 'g1', 'system:authenticated'],
        extra: { scopes: ['a', 'b'], 'example.com/some key': ['a%2Fb, c'], 'bad%zz': [''] },
      },
    ],
    [
      'reads a UTF-8 name from a proxy',
      [{ 'x-remote-user': Buffer.from('josé').toString('latin1') }, proxy],
      { name: 'josé', uid: '', groups: ['system:authenticated'], extra: {} },
    ],
    [
      'adds no group to a proxied user in system:unauthenticated',
      [{ 'x-remote-user': 'x', 'x-remote-group': 'system:unauthenticated' }, proxy],
      { name: 'x', uid: '', groups: ['system:unauthenticated'], extra: {} },
    ],
    [
      'adds no group to a proxied user system:anonymous',
      [{ 'x-remote-user': 'system:anonymous' }, proxy],
      { name: 'system:anonymous', uid: '', groups: [], extra: {} },
    ],
    ['ignores proxy headers without a proxy certificate', [{ 'x-remote-user': 'root' }], anonymous],
    ['ignores proxy headers with another certificate', [{ 'x-remote-user': 'root' }, alice], dev],
    [
      'refuses a proxy with another name',
      [{ 'x-remote-user': 'root' }, makeCertificate({ subject: [[CN, 'other']], by: frontAuthority })],
      401,
    ],
    [
      'refuses a proxy certificate for servers only',
      [
        { 'x-remote-user': 'root' },
        makeCertificate({ subject: [[CN, 'front-proxy']], by: frontAuthority, usages: [SERVER_AUTH] }),
      ],
      401,
    ],
  ];
  for (const [what, request, expected] of cases)
    it(what, async () => {
      const found = Promise.resolve(server().user(makeRequest(...request)));
      if (expected === 401) await assert.rejects(found, (error) => error instanceof StatusError && error.code === 401);
      else assert.deepEqual(await found, expected);
    });

  it('reports why credentials were refused, without the token', async () => {
    let told: readonly string[] = [];
    const request = makeRequest({ authorization: 'Bearer s3cret-nonsense' }, mallory);
    await assert.rejects(async () => server().user(request, (reasons) => (told = reasons)));
    assert.equal(told[0], 'invalid bearer token');
    assert.ok(told.some((reason) => reason.startsWith('x509: ')));
    assert.ok(!told.join().includes('s3cret'));
  });

  it('refuses requests without credentials if anonymous requests are disabled', () =>
    assert.rejects(
      async () => server(false).user(makeRequest()),
      (error) => error instanceof StatusError && error.code === 401,
    ));

  it('answers 503 if an authenticator is unavailable', async () => {
    const unable = authentication({
      request: [],
      token: [() => Promise.reject(serviceUnavailable('later'))],
      anonymous: () => true,
      audiences,
      webSocketTokenPrefix: 'x.',
    });
    const request = makeRequest({ authorization: 'Bearer x' });
    await assert.rejects(
      async () => unable.user(request),
      (error) => error instanceof StatusError && error.code === 503,
    );
  });

  it('reviews tokens for audiences', async () => {
    const { review } = server();
    const known = { authenticated: true, user: bob, audiences };
    assert.deepEqual(await review('bob-token', []), known);
    assert.deepEqual(await review('bob-token', ['us', 'x']), known);
    const unknown = { authenticated: false, error: 'invalid bearer token' };
    assert.deepEqual(await review('bob-token', ['elsewhere']), unknown);
    assert.deepEqual(await review('nonsense', []), unknown);
  });

  it('reports the row of a bad token file, without its content', () => {
    for (const content of ['s3cret,name\n', ',name,uid\n', 's3cret,"name\n'])
      assert.throws(
        () => tokenFileAuthenticator(file('bad.csv', content)),
        (error) => error instanceof ConfigError && !error.message.includes('s3cret'),
      );
  });
});
