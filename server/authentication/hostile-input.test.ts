import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { CompactSign } from 'jose';
import { ConfigError } from '#base/errors/config-error.ts';
import { StatusError } from '#base/errors/status-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease } from '#base/release/release.ts';
import { CLIENT_AUTH, CN, makeAuthority, makeCertificate } from '#base/x509/make-certificate.ts';
import { readSigningKey } from '#base/x509/token-keys.ts';
import { tries } from '#scripts/tries.ts';
import { resourceAttributes } from '../api/attributes.ts';
import { abacAuthorizer, readPolicy } from '../authorization/abac.ts';
import type { Decision } from '../authorization/authorizer.ts';
import { MemoryReader } from '../authorization/testing/memory-reader.ts';
import { createFeatureGates } from '../config/feature-gates.ts';
import { anyText } from '../testing/any-text.ts';
import { type CreatedAuthentication, createAuthentication } from './create-authentication.ts';
import { type Impersonation, requestedImpersonation } from './impersonation.ts';
import { makeRequest } from './testing/make-request.ts';

const naming = createNaming('orch');
const issuer = 'https://issuer.example';
const account = { metadata: { namespace: 'ns', name: 'robot', uid: 'u' } };

/** The number of inputs of each kind. */
const RUNS = {
  headers: tries(25_000),
  changedTokens: tries(25_000),
  signedTokens: tries(1_000),
  certificates: tries(14_000),
  proxyHeaders: tries(10_000),
  impersonation: tries(15_000),
  policyLines: tries(10_000),
};

/** The number of simultaneous inputs: much of the work is done outside the event loop. */
const AT_ONCE = 20;

/** Checks a property for many inputs, several at a time. */
async function holdsForAll<T>(input: fc.Arbitrary<T>, runs: number, check: (some: T) => Promise<void>): Promise<void> {
  const several = fc.array(input, { minLength: AT_ONCE, maxLength: AT_ONCE, size: 'max' });
  const property = fc.asyncProperty(several, async (all) => void (await Promise.all(all.map(check))));
  await fc.assert(property, { numRuns: runs / AT_ONCE });
}

describe('hostile credentials', function () {
  this.timeout(180_000);
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
  let keyFile: string;

  before(async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    keyFile = file('sa.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    const reader = new MemoryReader().put('', 'serviceaccounts', account);
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
      { reader, naming, release: defaultRelease, gates: createFeatureGates(), onError: () => {}, warn: () => {} },
    );
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
    Promise.resolve(server.user(makeRequest(...request))).then(
      ({ name }) => name,
      (error: unknown) => {
        if (error instanceof StatusError) return error.code;
        throw error;
      },
    );

  it('in any Authorization header get 401', async () => {
    const text = fc.oneof(
      anyText(),
      anyText().map((some) => `Bearer ${some}`),
    );
    await holdsForAll(text, RUNS.headers, async (authorization) =>
      assert.equal(await answer([{ authorization }]), 401),
    );
  });

  it('in a changed token are refused', async () => {
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
    const publicPem = createPublicKey(readFileSync(keyFile)).export({ type: 'spki', format: 'pem' });
    const forged = fc.oneof(
      fc.tuple(algorithm, claims).map(([alg, some]) => `${encode({ alg })}.${encode(some)}.${signature}`),
      fc.tuple(algorithm, claims).map(([alg, some]) => `${encode({ alg })}.${encode(some)}.`),
      fc.constantFrom('none', 'None', 'NONE').map((alg) => `${encode({ alg, typ: 'JWT' })}.${payload}.`),
      // It is signed with the public key as a shared secret.
      fc.tuple(fc.constantFrom('HS256', 'HS384', 'HS512'), fc.boolean()).map(([alg, kid]) => {
        const named = { alg, ...(kid ? { kid: readSigningKey(keyFile).id } : {}) };
        const signed = `${encode(named)}.${payload}`;
        return `${signed}.${createHmac(alg.replace('HS', 'sha'), publicPem).update(signed).digest('base64url')}`;
      }),
      claims.map((some) => `${header}.${encode(some)}.${signature}`),
      fc.jsonValue().map((some) => `${encode(some)}.${payload}.${signature}`),
      fc.nat(signature.length - 1).map((length) => `${header}.${payload}.${signature.slice(0, length)}`),
      fc.string().map((some) => `${header}.${payload}.${some}`),
      // One character is replaced. It is not the last one, because that one contains unused bits.
      fc.tuple(fc.nat(token.length - 2), fc.constantFrom(...'Aa0_-.=')).map(([at, char]) => {
        return token.slice(0, at) + char + token.slice(at + 1);
      }),
    );
    await holdsForAll(forged, RUNS.changedTokens, async (some) => {
      if (some === token) return;
      assert.equal(await answer([{ authorization: `Bearer ${some}` }]), 401);
    });
  });

  it('in a correctly signed token with wrong claims are refused', async () => {
    const key = readSigningKey(keyFile);
    const now = Math.floor(Date.now() / 1000);
    const own = { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'u' } };
    const good = { iss: issuer, aud: [issuer], exp: now + 600, nbf: now, sub: 'system:serviceaccount:ns:robot' };
    const sign = (claims: object) =>
      new CompactSign(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader({ alg: 'RS256', kid: key.id })
        .sign(key.privateKey);
    const domain = naming.domain();
    assert.equal(
      await answer([{ authorization: `Bearer ${await sign({ ...good, [domain]: own })}` }]),
      'system:serviceaccount:ns:robot',
    );
    const text = (right: string) => fc.oneof(fc.jsonValue(), fc.string()).filter((value) => value !== right);
    const past = fc.oneof(
      fc.integer({ max: now - 120 }),
      fc.jsonValue().filter((value) => typeof value !== 'number'),
    );
    const defect: fc.Arbitrary<object> = fc.oneof(
      past.map((exp) => ({ exp })),
      fc.integer({ min: now + 120 }).map((nbf) => ({ nbf })),
      // A token without an audience, or with an empty list of audiences, is for this server itself.
      text(issuer)
        .filter((aud) => aud !== null && !(Array.isArray(aud) && (aud.length === 0 || aud.includes(issuer))))
        .map((aud) => ({ aud })),
      text(issuer).map((iss) => ({ iss })),
      fc.constant({ iss: `${naming.product}/serviceaccount` }),
      fc.oneof(fc.jsonValue(), fc.record({ namespace: fc.jsonValue(), pod: fc.jsonValue() })).map((value) => ({
        [domain]: value,
      })),
      text('u').map((uid) => ({ [domain]: { ...own, serviceaccount: { name: 'robot', uid } } })),
      text('robot').map((name) => ({ [domain]: { ...own, serviceaccount: { name, uid: 'u' } } })),
      text('ns').map((namespace) => ({ [domain]: { ...own, namespace } })),
      fc.constantFrom('pod', 'secret').map((kind) => ({ [domain]: { ...own, [kind]: { name: 'gone', uid: 'x' } } })),
    );
    await holdsForAll(defect, RUNS.signedTokens, async (some) => {
      const signed = await sign({ ...good, [domain]: own, ...some });
      assert.equal(await answer([{ authorization: `Bearer ${signed}` }]), 401);
    });
  });

  it('in a changed certificate give no name that was not signed', async () => {
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
      { numRuns: RUNS.certificates },
    );
  });

  it('in headers of a trusted proxy are read without changes', async () => {
    const names = fc.constantFrom('x-remote-group', 'x-remote-extra-', 'x-remote-extra-%', 'x-remote-extra-__proto__');
    const headers = fc.dictionary(names, fc.array(anyText(), { maxLength: 3 }));
    await fc.assert(
      fc.asyncProperty(headers, async (some) =>
        assert.equal(await answer([{ ...some, 'x-remote-user': 'pat' }, proxy]), 'pat'),
      ),
      { numRuns: RUNS.proxyHeaders },
    );
  });

  it('in impersonation headers give nothing without a permission check', async () => {
    const text = anyText({ maxLength: 12 });
    const word = fc.oneof(text, fc.constantFrom('jane', 'system:serviceaccount:ns:robot', 'system:anonymous', ''));
    const key = fc.oneof(text, fc.constantFrom('__proto__', 'a%2fb', '%zz', 'constructor'));
    const asked = fc.record(
      {
        'impersonate-user': fc.array(word, { maxLength: 2 }),
        'impersonate-uid': fc.array(word, { maxLength: 2 }),
        'impersonate-group': fc.array(fc.oneof(word, fc.constant('system:masters')), { maxLength: 3 }),
        extra: fc.array(fc.tuple(key, fc.array(word, { maxLength: 2 })), { maxLength: 3 }),
      },
      { requiredKeys: ['extra'] },
    );
    fc.assert(
      fc.property(asked, ({ extra, ...headers }) => {
        const more = extra.map(([name, values]) => [`impersonate-extra-${name.toLowerCase()}`, values]);
        let found: Impersonation | undefined;
        try {
          found = requestedImpersonation({ ...headers, ...Object.fromEntries(more) }, naming);
        } catch (error) {
          assert.equal((error as StatusError).code, 400);
          return;
        }
        if (found === undefined) return;
        const { user, checks } = found;
        const checked = (resource: string) => checks.filter((check) => check.resource === resource);
        const implied = ['system:authenticated', 'system:unauthenticated', 'system:serviceaccounts'];
        const groups = checked('groups').map(({ name }) => name);
        for (const group of user.groups) {
          const own = group.startsWith('system:serviceaccounts:') && checked('serviceaccounts').length === 1;
          assert.ok(groups.includes(group) || implied.includes(group) || own, group);
        }
        const [account] = checked('serviceaccounts');
        const names = account
          ? `system:serviceaccount:${account.namespace}:${account.name}`
          : checked('users')[0]?.name;
        assert.equal(user.name, names);
        assert.equal(checked('uids')[0]?.name ?? '', user.uid);
        for (const [name, values] of Object.entries(user.extra)) {
          for (const value of values) {
            assert.ok(checked('userextras').some((check) => check.subresource === name && check.name === value));
          }
        }
      }),
      { numRuns: RUNS.impersonation },
    );
  });

  it('in a line of a policy file are refused, or allow only the users that the line names', () => {
    const field = fc.oneof(fc.constantFrom<unknown>('*', 'jane', '', null, true), fc.jsonValue({ maxDepth: 1 }));
    const spec = fc.record(
      {
        user: field,
        group: field,
        readonly: fc.oneof(fc.boolean(), field),
        apiGroup: field,
        resource: field,
        namespace: field,
        nonResourcePath: field,
        ['__proto__']: field,
      },
      { requiredKeys: [] },
    );
    const form = { apiVersion: naming.apiVersion('abac.authorization', 'v1beta1'), kind: 'Policy' };
    const valid = JSON.stringify({ ...form, spec: { user: 'jane', namespace: '*', resource: '*', apiGroup: '*' } });
    const line = fc.oneof(
      anyText(),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      spec.map((value) => JSON.stringify(value)),
      spec.map((value) => JSON.stringify({ ...form, spec: value })),
      fc.tuple(fc.nat(valid.length), fc.string({ maxLength: 3 })).map(([at, some]) => {
        return valid.slice(0, at) + some + valid.slice(at + some.length);
      }),
    );
    const readable: string[] = [];
    let tried = 0;
    fc.assert(
      fc.property(line, (some) => {
        tried++;
        const text = some.replaceAll('\n', ' ').trim();
        try {
          readPolicy(text, 'line', naming);
          if (text !== '' && !text.startsWith('#') && !text.includes('mallory')) readable.push(text);
        } catch (error) {
          assert.ok(error instanceof ConfigError, String(error));
        }
      }),
      { numRuns: RUNS.policyLines },
    );
    assert.ok(readable.length > tried / 20, `${readable.length} of ${tried}`);
    const authorizer = abacAuthorizer(file('policy.jsonl', readable.join('\n')), naming);
    const mallory = { name: 'mallory', uid: '', groups: ['system:unauthenticated'], extra: {} };
    for (const resource of ['pods', 'secrets', '*', '']) {
      const about = { verb: 'get', version: 'v1', resource, namespace: 'ns' };
      assert.equal((authorizer.authorize(resourceAttributes(mallory, about)) as Decision).verdict, 'no-opinion');
    }
  });
});
