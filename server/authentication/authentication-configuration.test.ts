import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CompactSign } from 'jose';
import { ConfigError } from '#base/errors/config-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { releaseOf } from '#base/release/release.ts';
import { AuthenticationConfiguration } from './authentication-configuration.ts';
import { CredentialError } from './authenticator.ts';
import { answerJson, startTlsServer, type TestServer } from './testing/tls-server.ts';

const naming = createNaming('orch');

describe('the authentication configuration file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'issuers-'));
  const file = path.join(folder, 'authentication.json');
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' };
  const errors: unknown[] = [];
  const counted: boolean[] = [];
  let servers: TestServer[];

  before(async () => {
    servers = await Promise.all(
      [0, 1].map(async () => {
        const server: TestServer = await startTlsServer(({ url }, response) => {
          if (url === '/keys') return answerJson(response, { keys: [key] });
          answerJson(response, { issuer: server.url, jwks_uri: `${server.url}/keys` });
        });
        return server;
      }),
    );
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => errors.splice(0));

  const issuerAt = (i: number, more: object = {}) => ({
    issuer: { url: servers[i]!.url, audiences: ['us'], certificateAuthority: servers[i]!.ca },
    claimMappings: { username: { claim: 'sub', prefix: '' } },
    ...more,
  });
  const write = (content: object) =>
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'apiserver.config.orch.io/v1',
        kind: 'AuthenticationConfiguration',
        ...content,
      }),
    );
  let now = 0;
  const read = (limitsAnonymous = true) =>
    new AuthenticationConfiguration(file, {
      now: () => now,
      reloads: () => (isOk) => counted.push(isOk),
      naming,
      release: releaseOf('1.37'),
      ownIssuers: ['https://own.example'],
      limitsAnonymous,
      onError: (error) => errors.push(error),
    });
  const token = (i: number, claims: object = {}) => {
    const all = { iss: servers[i]!.url, aud: 'us', sub: 'jane', exp: Math.floor(Date.now() / 1000) + 600, ...claims };
    return new CompactSign(Buffer.from(JSON.stringify(all)))
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .sign(privateKey);
  };

  it('can contain several issuers, each of which checks its own tokens', async () => {
    write({
      jwt: [
        issuerAt(0, { claimMappings: { username: { claim: 'sub', prefix: 'a:' } } }),
        issuerAt(1, { claimMappings: { username: { claim: 'sub', prefix: 'b:' } } }),
      ],
    });
    const { authenticate } = read();
    assert.equal((await authenticate(await token(0), []))?.user.name, 'a:jane');
    assert.equal((await authenticate(await token(1), []))?.user.name, 'b:jane');
    await assert.rejects(authenticate(await token(1, { aud: 'others' }), []), CredentialError);
    assert.equal(await authenticate(await token(1, { iss: 'https://other.example' }), []), undefined);
  });

  it('maps claims to users by expressions', async () => {
    write({
      jwt: [
        issuerAt(0, {
          claimMappings: {
            username: { expression: 'claims.org + "/" + claims.sub' },
            groups: { expression: 'claims.roles.map(r, "role:" + r)' },
            uid: { expression: 'claims.id' },
            extra: [
              { key: 'example.com/team', valueExpression: 'claims.?team.orValue("")' },
              { key: 'example.com/all', valueExpression: 'claims.roles' },
            ],
          },
        }),
      ],
    });
    const { authenticate } = read();
    const found = await authenticate(await token(0, { org: 'o', roles: ['x', 'y'], id: '7', jti: 'one' }), []);
    assert.deepEqual(found?.user, {
      name: 'o/jane',
      uid: '7',
      groups: ['role:x', 'role:y'],
      extra: { [naming.key('authentication/credential-id')]: ['JTI=one'], 'example.com/all': ['x', 'y'] },
    });
    await assert.rejects(authenticate(await token(0, { roles: [] }), []), /evaluating username claim expression/);
  });

  const refusals: [what: string, rules: object, claims: object, said: RegExp][] = [
    [
      'a token without the required value of a claim',
      { claimValidationRules: [{ claim: 'hd', requiredValue: 'a' }] },
      { hd: 'b' },
      /required claim hd has another value/,
    ],
    [
      'a token for which a claim rule is false',
      { claimValidationRules: [{ expression: 'claims.level > 2', message: 'too low' }] },
      { level: 2 },
      /'claims.level > 2' failed: too low/,
    ],
    [
      'a user for whom a user rule is false',
      { userValidationRules: [{ expression: '!user.username.startsWith("j")', message: 'no' }] },
      {},
      /user info validation expression: .* failed: no/,
    ],
    [
      'a token without a claim that a rule uses',
      { claimValidationRules: [{ expression: 'claims.level > 2' }] },
      {},
      /evaluating claim validation expression/,
    ],
  ];
  for (const [what, rules, claims, said] of refusals)
    it(`refuses ${what}`, async () => {
      write({ jwt: [issuerAt(0, rules)] });
      const { authenticate } = read();
      await assert.rejects(authenticate(await token(0, claims), []), said);
    });

  const mistakes: [what: string, content: () => object, said: RegExp][] = [
    ['an unknown field', () => ({ jwt: [{ ...issuerAt(0), more: 1 }] }), /jwt\[0\].more/],
    ['a duplicate issuer', () => ({ jwt: [issuerAt(0), issuerAt(0)] }), /jwt\[1\].issuer.url stands there twice/],
    [
      'an expression that does not compile',
      () => ({ jwt: [issuerAt(0, { claimMappings: { username: { expression: 'claims.' } } })] }),
      /jwt\[0\].claimMappings.username.expression cannot be used: compilation failed/,
    ],
    [
      'a rule that does not return a boolean',
      () => ({ jwt: [issuerAt(0, { claimValidationRules: [{ expression: '"x"' }] })] }),
      /must evaluate to bool but got string/,
    ],
    [
      'a user name from an email claim without a check of email_verified',
      () => ({ jwt: [issuerAt(0, { claimMappings: { username: { expression: 'claims.email' } } })] }),
      /claims.email_verified/,
    ],
    [
      'a user name claim without a prefix',
      () => ({ jwt: [issuerAt(0, { claimMappings: { username: { claim: 'sub' } } })] }),
      /username.prefix is missing/,
    ],
    [
      'an extra key in a domain of the product',
      () => ({
        jwt: [
          issuerAt(0, {
            claimMappings: {
              username: { claim: 'sub', prefix: '' },
              extra: [{ key: 'x.orch.io/a', valueExpression: '"a"' }],
            },
          }),
        ],
      }),
      /must not be in a domain of the product/,
    ],
    ['conditions without effect', () => ({ anonymous: { enabled: false, conditions: [{ path: '/' }] } }), /no effect/],
    ['another version', () => ({ apiVersion: 'apiserver.config.orch.io/v2' }), /apiVersion must be/],
  ];
  for (const [what, content, said] of mistakes)
    it(`is refused with ${what}`, () => {
      write(content());
      assert.throws(
        () => read(),
        (error) => error instanceof ConfigError && said.test(error.message),
      );
    });

  it('is reloaded after it changes, unless it is invalid', async () => {
    write({ jwt: [issuerAt(0)] });
    const { authenticate } = read();
    assert.equal(await authenticate(await token(1), []), undefined);
    write({ jwt: [issuerAt(0), issuerAt(1)] });
    assert.equal(await authenticate(await token(1), []), undefined, 'it is looked at again only after some seconds');
    now += 10_000;
    assert.equal((await authenticate(await token(1), []))?.user.name, 'jane');
    write({ jwt: 'nonsense of another length' });
    now += 10_000;
    assert.equal((await authenticate(await token(1), []))?.user.name, 'jane');
    assert.equal(errors.length, 1);
    assert.ok(errors[0] instanceof ConfigError);
    assert.deepEqual(counted, [true, false]);
  });

  it('limits anonymous requests to paths', () => {
    write({ anonymous: { enabled: true, conditions: [{ path: '/livez' }] } });
    const configuration = read();
    assert.deepEqual(
      ['/livez', '/livez/', '/api'].map((own) => configuration.allowsAnonymous(own)),
      [true, false, false],
    );
    assert.throws(() => read(false), /AnonymousAuthConfigurableEndpoints/);
    write({});
    assert.equal(read().allowsAnonymous('/api'), undefined);
  });
});
