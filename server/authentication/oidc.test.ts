import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CompactSign } from 'jose';
import { ConfigError } from '#base/errors/config-error.ts';
import type { OidcSettings } from '../config/authentication-options.ts';
import { CredentialError } from './authenticator.ts';
import { flagIssuer, type OidcOptions, oidcAuthenticator } from './oidc.ts';
import { answerJson, startTlsServer, type TestServer } from './testing/tls-server.ts';

interface IssuerKey {
  readonly id: string;
  readonly algorithm: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

function makeKey(id: string, type: 'rsa' | 'ec' = 'rsa'): IssuerKey {
  const pair =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return { id, algorithm: type === 'rsa' ? 'RS256' : 'ES256', ...pair };
}

describe('tokens of an OpenID Connect issuer', () => {
  const key = makeKey('one');
  const stranger = makeKey('one');
  let published: IssuerKey[];
  let behaviour: 'good' | 'slow' | 'broken' | 'wrong';
  let issuer: TestServer;
  let now: number;

  before(async () => {
    issuer = await startTlsServer(({ url }, response) => {
      if (behaviour === 'slow') return;
      if (behaviour === 'broken') return answerJson(response, {}, 500);
      if (url === '/.well-known/openid-configuration') {
        const name = behaviour === 'wrong' ? 'https://other.example' : issuer.url;
        return answerJson(response, { issuer: name, jwks_uri: `${issuer.url}/keys` });
      }
      const keys = published.map(({ id, algorithm, publicKey }) => ({
        ...publicKey.export({ format: 'jwk' }),
        kid: id,
        alg: algorithm,
        use: 'sig',
      }));
      return answerJson(response, { keys });
    });
  });
  after(() => issuer.stop());
  beforeEach(() => {
    published = [key];
    behaviour = 'good';
    now = Date.now();
  });

  type Options = Partial<OidcSettings & Pick<OidcOptions, 'timeoutMs' | 'ca'>>;
  const authenticator = (options: Options = {}) =>
    oidcAuthenticator({
      ca: issuer.ca,
      now: () => now,
      timeoutMs: 30_000,
      ...options,
      ...flagIssuer({ issuerUrl: issuer.url, clientId: 'us', ...options }),
    });
  const good = () => ({ iss: issuer.url, aud: 'us', sub: 'jane', exp: Math.floor(now / 1000) + 600 });
  const sign = (claims: object, by = key) =>
    new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: by.algorithm, kid: by.id })
      .sign(by.privateKey);

  const users: [what: string, options: Options, claims: object, name: string | undefined, groups?: string[]][] = [
    ['the subject as name, prefixed with the issuer', {}, {}, 'ISSUER#jane'],
    ['a configured prefix of the name', { usernamePrefix: 'oidc:' }, {}, 'oidc:jane'],
    ['a name without prefix', { usernamePrefix: '-' }, {}, 'jane'],
    ['another claim as name', { usernameClaim: 'login' }, { login: 'jd' }, 'ISSUER#jd'],
    ['a missing name claim', { usernameClaim: 'login' }, {}, undefined],
    ['a name claim that is a property of all JavaScript objects', { usernameClaim: 'constructor' }, {}, undefined],
    ['an email as name, without a prefix', { usernameClaim: 'email' }, { email: 'j@x.example' }, 'j@x.example'],
    ['a verified email', { usernameClaim: 'email' }, { email: 'j@x.example', email_verified: true }, 'j@x.example'],
    [
      'an email that is not verified',
      { usernameClaim: 'email' },
      { email: 'j@x.example', email_verified: false },
      undefined,
    ],
    ['groups', { usernamePrefix: '-', groupsClaim: 'roles' }, { roles: ['a', 'b'] }, 'jane', ['a', 'b']],
    ['one group', { usernamePrefix: '-', groupsClaim: 'roles' }, { roles: 'a' }, 'jane', ['a']],
    [
      'groups with a prefix',
      { usernamePrefix: '-', groupsClaim: 'roles', groupsPrefix: 'o:' },
      { roles: ['a'] },
      'jane',
      ['o:a'],
    ],
    ['no groups', { usernamePrefix: '-', groupsClaim: 'roles' }, {}, 'jane', []],
    ['invalid groups', { groupsClaim: 'roles' }, { roles: [{ a: 1 }] }, undefined],
    ['a required claim', { requiredClaims: { tier: 'gold' } }, { tier: 'gold' }, 'ISSUER#jane'],
    ['a required claim with another value', { requiredClaims: { tier: 'gold' } }, { tier: 'tin' }, undefined],
    ['a required claim that is missing', { requiredClaims: { tier: 'gold' } }, {}, undefined],
    ['one audience of several', {}, { aud: ['x', 'us'] }, 'ISSUER#jane'],
    ['another audience', {}, { aud: 'them' }, undefined],
    ['no audience', {}, { aud: undefined }, undefined],
    ['an expiration in the past', {}, { exp: 1 }, undefined],
    ['no expiration', {}, { exp: undefined }, undefined],
    ['a start time within the allowed clock skew', {}, { nbf: Math.floor(Date.now() / 1000) + 120 }, 'ISSUER#jane'],
    ['a start time in the future', {}, { nbf: Math.floor(Date.now() / 1000) + 1200 }, undefined],
  ];
  for (const [what, options, claims, name, groups = []] of users)
    it(`${name === undefined ? 'are refused' : 'are accepted'} with ${what}`, async () => {
      const found = authenticator(options).authenticate(await sign({ ...good(), ...claims }), []);
      if (name === undefined) await assert.rejects(found, CredentialError);
      else
        assert.deepEqual(await found, {
          user: { name: name.replace('ISSUER', issuer.url), uid: '', groups, extra: {} },
        });
    });

  it('are identified in the user by their JTI, in releases that have it', async () => {
    const named = flagIssuer({ issuerUrl: issuer.url, clientId: 'us' }, 'orch.io/id');
    const { authenticate } = oidcAuthenticator({ ca: issuer.ca, ...named });
    const extraOf = async (claims: object) =>
      (await authenticate(await sign({ ...good(), ...claims }), []))?.user.extra;
    assert.deepEqual(await extraOf({ jti: 'one' }), { 'orch.io/id': ['JTI=one'] });
    for (const claims of [{}, { jti: '' }, { jti: 7 }]) assert.deepEqual(await extraOf(claims), {});
  });

  it('of other issuers cause no opinion and no request to the issuer', async () => {
    const before = issuer.requests;
    const { authenticate } = authenticator();
    for (const token of [await sign({ ...good(), iss: 'https://other.example' }), 'a.b.c', 'plain'])
      assert.equal(await authenticate(token, []), undefined);
    assert.equal(issuer.requests, before);
  });

  it('are refused if they are forged', async () => {
    const { authenticate } = authenticator();
    const token = await sign(good());
    const [header = '', payload = '', signature = ''] = token.split('.');
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const hmac = encode({ alg: 'HS256', kid: 'one' });
    const pem = key.publicKey.export({ type: 'spki', format: 'pem' });
    for (const forged of [
      `${encode({ alg: 'none' })}.${payload}.`,
      `${hmac}.${payload}.${createHmac('sha256', pem).update(`${hmac}.${payload}`).digest('base64url')}`,
      `${header}.${encode({ ...good(), sub: 'root' })}.${signature}`,
      `${header}.${payload}.${signature.slice(2)}`,
      await sign(good(), stranger),
      await sign(good(), makeKey('unknown')),
    ])
      await assert.rejects(authenticate(forged, []), CredentialError);
    assert.ok(await authenticate(token, []));
  });

  it('are accepted only with an allowed signing algorithm', async () => {
    const curve = makeKey('curve', 'ec');
    published = [key, curve];
    const token = await sign(good(), curve);
    await assert.rejects(authenticator().authenticate(token, []), CredentialError);
    assert.ok(await authenticator({ signingAlgorithms: ['ES256'] }).authenticate(token, []));
  });

  it('make the server fetch keys once, and again for an unknown key after some time', async () => {
    const { authenticate } = authenticator();
    const before = issuer.requests;
    for (let i = 0; i < 3; i++) assert.ok(await authenticate(await sign(good()), []));
    assert.equal(issuer.requests - before, 2, 'configuration and keys');
    const next = makeKey('two');
    published = [next];
    await assert.rejects(authenticate(await sign(good(), next), []), CredentialError, 'too soon after the last time');
    assert.equal(issuer.requests - before, 2);
    now += 11_000;
    assert.ok(await authenticate(await sign(good(), next), []));
    assert.equal(issuer.requests - before, 3);
    await assert.rejects(authenticate(await sign(good()), []), CredentialError, 'the old key is withdrawn');
  });

  it('are accepted with the known keys while the issuer is down, and refused after a key is withdrawn', async () => {
    const { authenticate, warm } = authenticator();
    await warm();
    now += 11 * 60_000;
    behaviour = 'broken';
    assert.ok(await authenticate(await sign(good()), []));
    // This answer started a fetch in the background. The fetch must reach the broken issuer before the issuer is
    // repaired.
    await warm().catch(() => undefined);
    behaviour = 'good';
    published = [makeKey('two')];
    now += 11_000;
    await authenticate(await sign(good()), []);
    await warm();
    await assert.rejects(authenticate(await sign(good()), []), CredentialError);
  });

  for (const bad of ['slow', 'broken', 'wrong'] as const)
    it(`are refused while the issuer is ${bad}, and accepted after it recovers`, async () => {
      behaviour = bad;
      const { authenticate } = authenticator(bad === 'slow' ? { timeoutMs: 2_000 } : {});
      await assert.rejects(authenticate(await sign(good()), []), CredentialError);
      behaviour = 'good';
      now += 11_000;
      assert.ok(await authenticate(await sign(good()), []));
    });

  it('are refused if the certificate of the issuer is not trusted', async () => {
    const token = await sign(good());
    await assert.rejects(authenticator({ ca: undefined }).authenticate(token, []), CredentialError);
  });

  it('cannot be configured with invalid options', () => {
    for (const options of [
      { issuerUrl: 'http://x' },
      { issuerUrl: 'x' },
      { clientId: '' },
      { signingAlgorithms: ['HS256'] },
    ])
      assert.throws(() => authenticator(options), ConfigError);
  });
});
