import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { CompactSign } from 'jose';
import { MemoryReader } from '../authorization/testing/memory-reader.ts';
import { StatusError } from '../errors/status-error.ts';
import { createNaming } from '../naming/create-naming.ts';
import { type CreatedAuthentication, createAuthentication } from './create-authentication.ts';
import { readSigningKey } from './public-keys.ts';
import { CLIENT_AUTH, CN, makeAuthority, makeCertificate } from './testing/make-certificate.ts';
import { makeRequest } from './testing/make-request.ts';

const naming = createNaming('orch');
const issuer = 'https://issuer.example';

describe('hostile credentials', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'hostile-'));
  after(() => rmSync(directory, { recursive: true }));
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(path.join(directory, name), content);
    return path.join(directory, name);
  };
  const authority = makeAuthority('clients');
  const proxies = makeAuthority('proxies');
  const proxy = makeCertificate({ subject: [[CN, 'proxy']], by: proxies, usages: [CLIENT_AUTH] });
  let server: CreatedAuthentication;
  let token: string;

  before(async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const keyFile = file('sa.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    const reader = new MemoryReader().put('', 'serviceaccounts', {
      metadata: { namespace: 'ns', name: 'robot', uid: 'u' },
    });
    server = createAuthentication(
      {
        anonymous: false,
        audiences: [],
        clientCaFile: file('ca.pem', authority.pem),
        tokenFile: file('tokens.csv', 'static-token,bob,uid-bob\n'),
        bootstrapTokens: true,
        frontProxy: {
          caFile: file('front.pem', proxies.pem),
          allowedNames: [],
          usernameHeaders: ['X-Remote-User'],
          groupHeaders: ['X-Remote-Group'],
          extraHeaderPrefixes: ['X-Remote-Extra-'],
        },
        serviceAccounts: {
          issuers: [issuer],
          keyFiles: [],
          tlsKeyFile: keyFile,
          signingKeyFile: keyFile,
          lookup: true,
          maxExpirationSeconds: 0,
          extendExpiration: true,
          serverUrl: 'https://127.0.0.1:6443',
        },
      },
      { reader, naming, onError: () => {} },
    );
    const account = { metadata: { namespace: 'ns', name: 'robot', uid: 'u' } };
    const spec = { audiences: null, expirationSeconds: null, boundObjectRef: null };
    const made = await server.issueToken?.(account, { metadata: {}, spec }, () => {});
    token = made?.status?.token ?? '';
    assert.equal(
      (await server.user(makeRequest({ authorization: `Bearer ${token}` }))).uid,
      'u',
      'signed by the TLS key',
    );
    assert.equal(server.issuerDocuments.length, 2);
    assert.equal(server.clientCa().length, 2);
  });

  /** The answer to a request: the user's name, or the code of the refusal. */
  const answer = async (request: Parameters<typeof makeRequest>): Promise<string | number> =>
    server.user(makeRequest(...request)).then(
      ({ name }) => name,
      (error: unknown) => {
        if (error instanceof StatusError) return error.code;
        throw error;
      },
    );

  it('any header is refused with 401', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }).map((some) => `Bearer ${some}`),
    );
    await fc.assert(
      fc.asyncProperty(text, async (authorization) => assert.equal(await answer([{ authorization }]), 401)),
      { numRuns: 3000 },
    );
  });

  it('a token with any change is refused, whatever it says', async () => {
    const [header = '', payload = '', signature = ''] = token.split('.');
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '').toString('base64url');
    const claims = fc.record(
      {
        iss: fc.constantFrom<unknown>(issuer, `${naming.product}/serviceaccount`, 5, null),
        sub: fc.jsonValue(),
        aud: fc.jsonValue(),
        exp: fc.jsonValue(),
        nbf: fc.jsonValue(),
        [naming.domain()]: fc.jsonValue(),
        ['__proto__']: fc.jsonValue(),
      },
      { requiredKeys: ['iss'] },
    );
    const algorithm = fc.constantFrom('none', 'HS256', 'RS256', 'ES256', 'PS256', '', 'toString');
    const forged = fc.oneof(
      fc.tuple(algorithm, claims).map(([alg, some]) => `${encode({ alg })}.${encode(some)}.${signature}`),
      claims.map((some) => `${header}.${encode(some)}.${signature}`),
      fc.jsonValue().map((some) => `${encode(some)}.${payload}.${signature}`),
      fc.nat(signature.length - 2).map((length) => `${header}.${payload}.${signature.slice(0, length)}`),
      fc.string().map((some) => `${header}.${payload}.${some}`),
    );
    await fc.assert(
      fc.asyncProperty(forged, async (some) => {
        if (some === token) return;
        assert.equal(await answer([{ authorization: `Bearer ${some}` }]), 401);
      }),
      { numRuns: 3000 },
    );
  });

  it('a token that is signed well but says anything is at most refused', async () => {
    const key = readSigningKey(path.join(directory, 'sa.pem'));
    const own = fc.oneof(
      fc.jsonValue(),
      fc.record({ namespace: fc.jsonValue(), serviceaccount: fc.jsonValue(), pod: fc.jsonValue() }),
    );
    const claims = fc.record({
      iss: fc.constantFrom(issuer, 'x/serviceaccount'),
      aud: fc.jsonValue(),
      exp: fc.constant(9e9),
      nbf: fc.jsonValue(),
      sub: fc.jsonValue(),
      [naming.domain()]: own,
    });
    await fc.assert(
      fc.asyncProperty(claims, async (some) => {
        const signed = await new CompactSign(Buffer.from(JSON.stringify(some)))
          .setProtectedHeader({ alg: 'RS256', kid: key.id })
          .sign(key.privateKey);
        assert.equal(await answer([{ authorization: `Bearer ${signed}` }]), 401);
      }),
      { numRuns: 200 },
    );
  });

  it('a certificate with any change gives nobody a name that was not signed', async () => {
    const alice = makeCertificate({ subject: [[CN, 'alice']], by: authority, usages: [CLIENT_AUTH] });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(alice.der.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        async (at, bits, cut) => {
          const der = Buffer.from(alice.der);
          der[at] = (der[at] ?? 0) ^ bits;
          assert.equal(await answer([{}, { ...alice, der: cut ? der.subarray(0, at) : der }]), 401);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('headers of a proxy are taken as they are', async () => {
    const names = fc.constantFrom('x-remote-group', 'x-remote-extra-', 'x-remote-extra-%', 'x-remote-extra-__proto__');
    const headers = fc.dictionary(names, fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }));
    await fc.assert(
      fc.asyncProperty(headers, async (some) =>
        assert.equal(await answer([{ ...some, 'x-remote-user': 'pat' }, proxy]), 'pat'),
      ),
      { numRuns: 500 },
    );
  });
});
