import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StatusError } from '#base/errors/status-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { readSigningKey, readTokenKeys, type SigningKey, type TokenKey } from '#base/x509/token-keys.ts';
import type { TokenRequest } from '#schema/generated/authentication.v1.ts';
import { MemoryReader } from '../authorization/testing/memory-reader.ts';
import { issuerDocuments } from './issuer-discovery.ts';
import { serviceAccountTokenAuthenticator } from './service-account-token.ts';
import { unverifiedClaims } from './token-claims.ts';
import { tokenIssuer } from './token-issuer.ts';

const naming = createNaming('orch');
const issuer = 'https://issuer.example';

describe('tokens from TokenRequests', () => {
  let key: SigningKey;
  let keys: readonly TokenKey[];
  let reader: MemoryReader;
  let now: number;

  before(() => {
    const directory = mkdtempSync(path.join(tmpdir(), 'issue-'));
    const files = [
      generateKeyPairSync('rsa', { modulusLength: 2048 }),
      generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
    ].map(({ privateKey }, i) => {
      const file = path.join(directory, `${i}.pem`);
      writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
      return file;
    });
    key = readSigningKey(files[0]!);
    keys = readTokenKeys(files);
    rmSync(directory, { recursive: true });
  });
  beforeEach(() => {
    now = Date.now();
    reader = new MemoryReader()
      .put('', 'serviceaccounts', { metadata: { namespace: 'ns', name: 'robot', uid: 'uid-robot' } })
      .put('', 'secrets', { metadata: { namespace: 'ns', name: 's1', uid: 'uid-s1' } })
      .put('', 'pods', {
        metadata: { namespace: 'ns', name: 'p1', uid: 'uid-p1' },
        spec: { serviceAccountName: 'robot' },
      });
  });
  const authenticate = (token: string, wanted: readonly string[] = [issuer]) =>
    serviceAccountTokenAuthenticator({
      issuers: [issuer],
      keys,
      audiences: [issuer],
      lookup: true,
      reader,
      naming,
      now: () => now,
    })(token, wanted);

  const account = { metadata: { namespace: 'ns', name: 'robot', uid: 'uid-robot' } };
  const warnings: string[] = [];
  const issue = (spec: Partial<TokenRequest['spec']>, options: { max?: number; extend?: boolean } = {}) =>
    tokenIssuer({
      issuer,
      key,
      audiences: [issuer],
      maxExpirationSeconds: options.max ?? 0,
      extendExpiration: options.extend ?? true,
      reader,
      naming,
      now: () => now,
    })(account, { metadata: {}, spec: spec as TokenRequest['spec'] }, (text) => warnings.push(text));
  const claimsOf = (made: TokenRequest) => unverifiedClaims(made.status?.token ?? '') ?? {};

  it('contain the requested values, and are accepted', async () => {
    const made = await issue({});
    assert.deepEqual(made.spec, { audiences: [issuer], expirationSeconds: 3600, boundObjectRef: null });
    const iat = Math.floor(now / 1000);
    assert.deepEqual(claimsOf(made), {
      aud: [issuer],
      exp: iat + 3600,
      iat,
      nbf: iat,
      iss: issuer,
      sub: 'system:serviceaccount:ns:robot',
      [naming.domain()]: { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'uid-robot' } },
    });
    assert.equal((await authenticate(made.status?.token ?? ''))?.user.uid, 'uid-robot');
    const elsewhere = await issue({ audiences: ['elsewhere', 'more'] });
    assert.deepEqual((await authenticate(elsewhere.status?.token ?? '', ['more', 'elsewhere', 'third']))?.audiences, [
      'more',
      'elsewhere',
    ]);
  });

  for (const [wanted, message] of [
    [599, 'may not specify a duration less than 10 minutes'],
    [0, 'may not specify a duration less than 10 minutes'],
    [2 ** 32 + 1, 'may not specify a duration larger than 2^32 seconds'],
  ] as const)
    it(`cannot be requested for ${wanted} seconds`, () =>
      assert.rejects(
        issue({ expirationSeconds: wanted }),
        (error) => error instanceof StatusError && error.code === 422 && error.message.includes(message),
      ));

  describe('in releases with token IDs and bound nodes', () => {
    const claims = { id: true, nodeOfPod: true, boundToNode: true };
    const later = (boundObjectRef: object, known = claims) =>
      tokenIssuer({
        issuer,
        key,
        audiences: [issuer],
        maxExpirationSeconds: 0,
        extendExpiration: true,
        reader,
        naming,
        claims: known,
        now: () => now,
      })(account, { metadata: {}, spec: { boundObjectRef } as TokenRequest['spec'] }, () => {});
    const userOf = async (made: TokenRequest, known = claims) => {
      const check = serviceAccountTokenAuthenticator({
        issuers: [issuer],
        keys,
        audiences: [issuer],
        lookup: true,
        reader,
        naming,
        claims: known,
        now: () => now,
      });
      return (await check(made.status?.token ?? '', [issuer]))?.user.extra;
    };
    const of = (name: string) => naming.key(`authentication/${name}`);

    beforeEach(() => {
      reader.put('', 'nodes', { metadata: { name: 'n1', uid: 'uid-n1' } });
      reader.put('', 'pods', {
        metadata: { namespace: 'ns', name: 'placed', uid: 'uid-placed' },
        spec: { serviceAccountName: 'robot', nodeName: 'n1' },
      });
    });

    it('contain their ID and the node of their pod', async () => {
      const made = await later({ apiVersion: 'v1', kind: 'Pod', name: 'placed' });
      const { jti, [naming.domain()]: own } = claimsOf(made) as { jti: string; [own: string]: unknown };
      assert.match(jti, /^[0-9a-f-]{36}$/);
      assert.deepEqual((own as { node: unknown }).node, { name: 'n1', uid: 'uid-n1' });
      assert.deepEqual(await userOf(made), {
        [of('pod-name')]: ['placed'],
        [of('pod-uid')]: ['uid-placed'],
        [of('node-name')]: ['n1'],
        [of('node-uid')]: ['uid-n1'],
        [of('credential-id')]: [`JTI=${jti}`],
      });
    });

    it('are refused after the node that they are bound to is deleted', async () => {
      const made = await later({ apiVersion: 'v1', kind: 'Node', name: 'n1' });
      assert.deepEqual((await userOf(made))?.[of('node-name')], ['n1']);
      await assert.rejects(userOf(made, { ...claims, boundToNode: false }), /bound to a Node/);
      reader.remove('', 'nodes', '', 'n1');
      await assert.rejects(userOf(made), /invalidated/);
    });

    it('are bound to a node only if the release supports it', () =>
      assert.rejects(later({ apiVersion: 'v1', kind: 'Node', name: 'n1' }, { ...claims, boundToNode: false }), {
        code: 400,
      }));
  });

  it('expire after the maximum lifetime at the latest', async () => {
    const made = await issue({ expirationSeconds: 7201 }, { max: 7200 });
    assert.equal(made.spec.expirationSeconds, 7200);
    assert.deepEqual(warnings, ['requested expiration of 7201 seconds shortened to 7200 seconds']);
  });

  it('are valid for a year if clients may not read them again', async () => {
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'p1' };
    const iat = Math.floor(now / 1000);
    const made = await issue({ expirationSeconds: 3607, boundObjectRef });
    const claims = claimsOf(made);
    assert.equal(claims['exp'], iat + 365 * 86_400);
    assert.deepEqual(claims[naming.domain()], {
      namespace: 'ns',
      serviceaccount: { name: 'robot', uid: 'uid-robot' },
      pod: { name: 'p1', uid: 'uid-p1' },
      warnafter: iat + 3607,
    });
    for (const [spec, extend] of [
      [{ expirationSeconds: 3607, boundObjectRef }, false],
      [{ expirationSeconds: 3608, boundObjectRef }, true],
      [{ expirationSeconds: 3607 }, true],
      [{ expirationSeconds: 3607, boundObjectRef, audiences: ['x'] }, true],
    ] as const) {
      const short = await issue(structuredClone(spec) as Partial<TokenRequest['spec']>, { extend });
      assert.equal(claimsOf(short)['exp'], iat + (spec.expirationSeconds ?? 0));
    }
  });

  const refused: [what: string, bound: object, code: number, message: RegExp][] = [
    [
      'an object of a kind that cannot be bound',
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'x' },
      400,
      /^cannot bind token to object of type \/v1, Kind=ConfigMap$/,
    ],
    [
      'an object of another group',
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' },
      400,
      /^cannot bind token to object of type apps\/v1, Kind=Deployment$/,
    ],
    [
      'a missing secret in an unknown version',
      { apiVersion: 'v2', kind: 'Secret', name: 'none' },
      404,
      /^secrets "none"/,
    ],
    ['a missing secret without a version', { kind: 'Secret', name: 'none' }, 404, /^secrets "none"/],
    ['a secret without a name', { apiVersion: 'v1', kind: 'Secret' }, 400, /^Name parameter required\.$/],
    ['a missing secret', { apiVersion: 'v1', kind: 'Secret', name: 'none' }, 404, /^secrets "none" not found$/],
    [
      'the UID of an earlier secret',
      { apiVersion: 'v1', kind: 'Secret', name: 's1', uid: 'wrong' },
      409,
      /the UID in the bound object reference \(wrong\) does not match/,
    ],
  ];
  for (const [what, bound, code, message] of refused)
    it(`are not issued for ${what}`, () =>
      assert.rejects(
        issue({ boundObjectRef: bound }),
        (error) => error instanceof StatusError && error.code === code && message.test(error.message),
      ));

  it('are not issued for a pod of another account', () => {
    reader.put('', 'pods', {
      metadata: { namespace: 'ns', name: 'p2', uid: 'u' },
      spec: { serviceAccountName: 'x' },
    });
    return assert.rejects(
      issue({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p2' } }),
      (error) => error instanceof StatusError && error.code === 400,
    );
  });

  it('can be verified with the published keys', () => {
    const [configuration, published] = issuerDocuments(issuer, 'https://x/openid/v1/jwks', keys) ?? [];
    assert.deepEqual(JSON.parse(configuration!.body.toString()), {
      issuer,
      jwks_uri: 'https://x/openid/v1/jwks',
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256', 'RS256'],
    });
    const set = JSON.parse(published!.body.toString()) as { keys: Record<string, string>[] };
    assert.deepEqual(
      set.keys.map(({ use, kty, alg, kid }) => ({ use, kty, alg, kid })),
      keys.map(({ id, algorithm }) => ({
        use: 'sig',
        kty: algorithm === 'RS256' ? 'RSA' : 'EC',
        alg: algorithm,
        kid: id,
      })),
    );
    assert.ok(!JSON.stringify(set).includes('"d"'), 'nothing private');
    assert.equal(issuerDocuments('not a URL', 'https://x', keys), undefined);
  });
});
