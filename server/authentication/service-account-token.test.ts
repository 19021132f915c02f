import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CompactSign } from 'jose';
import { StatusError } from '#base/errors/status-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { readSigningKey, readTokenKeys, type SigningKey, type TokenKey } from '#base/x509/token-keys.ts';
import { MemoryReader } from '../authorization/testing/memory-reader.ts';
import { CredentialError } from './authenticator.ts';
import { serviceAccountTokenAuthenticator } from './service-account-token.ts';

const naming = createNaming('orch');
const issuer = 'https://issuer.example';
const user = {
  name: 'system:serviceaccount:ns:robot',
  uid: 'uid-robot',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
  extra: {},
};

describe('tokens of service accounts', () => {
  let directory: string;
  let key: SigningKey;
  let older: SigningKey;
  let keys: readonly TokenKey[];
  let reader: MemoryReader;
  let now: number;
  let kinds: string[] = [];

  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'sa-'));
    const write = (name: string, privateKey: KeyObject) => {
      const file = path.join(directory, name);
      writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
      return file;
    };
    const rsa = write('rsa.pem', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
    const ec = write('ec.pem', generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey);
    key = readSigningKey(rsa);
    older = readSigningKey(ec);
    keys = readTokenKeys([rsa, ec]);
  });
  after(() => rmSync(directory, { recursive: true }));
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

  const authenticate = (token: string, wanted: readonly string[] = [issuer], lookup = true) =>
    serviceAccountTokenAuthenticator({
      issuers: [issuer, 'https://older.example'],
      keys,
      audiences: [issuer],
      lookup,
      reader,
      naming,
      tokens: (kind) => kinds.push(kind),
      now: () => now,
    })(token, wanted);
  const seconds = () => Math.floor(now / 1000);
  const good = () => ({
    aud: [issuer],
    exp: seconds() + 3600,
    iat: seconds() - 5,
    nbf: seconds() - 5,
    iss: issuer,
    [naming.domain()]: { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'uid-robot' } },
    sub: 'system:serviceaccount:ns:robot',
  });
  const sign = (claims: object, by: SigningKey = key) =>
    new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: by.algorithm, kid: by.id })
      .sign(by.privateKey);

  it('are accepted unchanged, with any trusted key and issuer', async () => {
    assert.deepEqual(await authenticate(await sign(good())), { user, audiences: [issuer] });
    assert.deepEqual((await authenticate(await sign(good(), older)))?.user, user, 'of another key');
    const second = { ...good(), iss: 'https://older.example' };
    assert.deepEqual((await authenticate(await sign(second)))?.user, user, 'of another issuer');
  });

  const cases: [what: string, change: () => object, error: string | undefined][] = [
    ['a single audience as a string', () => ({ aud: issuer }), undefined],
    ['several audiences', () => ({ aud: ['x', issuer] }), undefined],
    ['no audience', () => ({ aud: undefined }), undefined],
    ['an empty list of audiences', () => ({ aud: [] }), undefined],
    [
      'another audience',
      () => ({ aud: ['x'] }),
      `token audiences ["x"] is invalid for the target audiences ["${issuer}"]`,
    ],
    ['another subject', () => ({ sub: 'another' }), undefined],
    ['an expiration one second ago', () => ({ exp: seconds() - 1 }), undefined],
    ['an expiration two minutes ago', () => ({ exp: seconds() - 120 }), 'service account token has expired'],
    ['no expiration', () => ({ exp: undefined }), 'service account token has expired'],
    ['a string as expiration', () => ({ exp: '99999999999' }), 'service account token has expired'],
    ['an issue time in the future', () => ({ iat: seconds() + 600 }), undefined],
    ['a start time in the future', () => ({ nbf: seconds() + 120 }), 'service account token is not valid yet'],
    ['no account', () => ({ [naming.domain()]: undefined }), 'resource name may not be empty'],
    [
      'the UID of an earlier account',
      () => ({ [naming.domain()]: { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'old' } } }),
      'service account UID (uid-robot) does not match claim (old)',
    ],
    [
      'an account that does not exist',
      () => ({ [naming.domain()]: { namespace: 'ns', serviceaccount: { name: 'none', uid: 'x' } } }),
      'serviceaccounts "none" not found',
    ],
  ];
  for (const [what, change, error] of cases)
    it(`are ${error === undefined ? 'accepted' : 'refused'} with ${what}`, async () => {
      const found = authenticate(await sign({ ...good(), ...change() }));
      if (error === undefined) assert.deepEqual((await found)?.user, user);
      else await assert.rejects(found, { name: 'CredentialError', message: error });
    });

  const told: [what: string, own: { warnafter?: number }, kind: string, annotation: readonly string[] | undefined][] = [
    ['a token without a warning time', {}, 'valid', undefined],
    ['a token before its warning time', { warnafter: 60 }, 'valid', undefined],
    [
      'a token after its warning time',
      { warnafter: -90 },
      'stale',
      [
        naming.key('authentication/stale-token'),
        'subject: system:serviceaccount:ns:robot, seconds after warning threshold: 90',
      ],
    ],
  ];
  for (const [what, { warnafter }, kind, annotation] of told)
    it(`are counted as ${kind}: ${what}`, async () => {
      const claims: Record<string, unknown> = good();
      if (warnafter !== undefined)
        claims[naming.domain()] = { ...(claims[naming.domain()] as object), warnafter: seconds() + warnafter };
      kinds = [];
      const found = await authenticate(await sign(claims));
      assert.deepEqual([kinds, found?.annotation], [[kind], annotation]);
    });

  it('of other issuers cause no opinion', async () => {
    for (const token of [
      await sign({ ...good(), iss: `${issuer}/` }),
      await sign({ ...good(), iss: undefined }),
      'a.b.c',
      'x',
    ])
      assert.equal(await authenticate(token), undefined);
  });

  it('are refused if they are forged', async () => {
    const token = await sign(good());
    const [header = '', payload = '', signature = ''] = token.split('.');
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const publicPem = key.publicKey.export({ type: 'spki', format: 'pem' });
    const hmac = encode({ alg: 'HS256', kid: key.id });
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const root = encode({ ...good(), sub: 'root' });
    const forgeries = [
      `${encode({ alg: 'none' })}.${payload}.`,
      `${encode({ alg: 'none' })}.${payload}.${signature}`,
      `${hmac}.${payload}.${createHmac('sha256', publicPem).update(`${hmac}.${payload}`).digest('base64url')}`,
      `${header}.${root}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -4)}`,
      `${header}.${payload}.`,
      `${encode({ alg: 'ES256', kid: key.id })}.${payload}.${signature}`,
      `${encode({ alg: 'RS256', kid: older.id })}.${payload}.${signature}`,
      `${encode({ alg: 'RS256', crit: ['x'], x: 1 })}.${payload}.${signature}`,
      await sign(good(), { ...key, privateKey: stranger }),
    ];
    for (const forged of forgeries) await assert.rejects(authenticate(forged), CredentialError, forged);
    for (let i = 0; i < 2000; i++) {
      const at = (i * 7919) % token.length;
      const mutated = token.slice(0, at) + String.fromCharCode(33 + ((i * 31) % 94)) + token.slice(at + (i % 3));
      if (mutated === token) continue;
      const found = await authenticate(mutated).catch((error: unknown) => error);
      if (found === undefined || found instanceof CredentialError) continue;
      // The last character of a base64 text contains unused bits, so the same signature has another spelling.
      assert.deepEqual(Buffer.from(mutated.split('.')[2] ?? '', 'base64url'), Buffer.from(signature, 'base64url'));
      assert.ok(mutated.startsWith(`${header}.${payload}.`));
    }
  });

  it('are refused after their account, pod or secret is deleted', async () => {
    for (const [kind, plural, name] of [
      ['pod', 'pods', 'p1'],
      ['secret', 'secrets', 's1'],
    ] as const) {
      const own = {
        namespace: 'ns',
        serviceaccount: { name: 'robot', uid: 'uid-robot' },
        [kind]: { name, uid: `uid-${name}` },
      };
      const token = await sign({ ...good(), [naming.domain()]: own });
      const extra =
        kind === 'pod'
          ? { [naming.key('authentication/pod-name')]: ['p1'], [naming.key('authentication/pod-uid')]: ['uid-p1'] }
          : {};
      assert.deepEqual((await authenticate(token))?.user, { ...user, extra });
      reader.remove('', plural, 'ns', name);
      await assert.rejects(authenticate(token), { message: 'service account token has been invalidated' });
      reader.put('', plural, { metadata: { namespace: 'ns', name, uid: 'new' } });
      await assert.rejects(authenticate(token), {
        message: `${kind} UID (new) does not match service account ${kind} ref claim (uid-${name})`,
      });
    }
    const token = await sign(good());
    reader.remove('', 'serviceaccounts', 'ns', 'robot');
    await assert.rejects(authenticate(token), { message: 'serviceaccounts "robot" not found' });
  });

  it('are accepted until a minute after their account is marked as deleted', async () => {
    const deletionTimestamp = new Date(now).toISOString();
    reader.put('', 'serviceaccounts', {
      metadata: { namespace: 'ns', name: 'robot', uid: 'uid-robot', deletionTimestamp },
    });
    const token = await sign(good());
    assert.deepEqual((await authenticate(token))?.user, user);
    now += 61_000;
    await assert.rejects(authenticate(token), { message: 'service account token has been invalidated' });
  });

  it('are refused only after the server has read the current state', async () => {
    const token = await sign(good());
    reader.remove('', 'serviceaccounts', 'ns', 'robot');
    reader.later.push(() => {
      reader.put('', 'serviceaccounts', { metadata: { namespace: 'ns', name: 'robot', uid: 'uid-robot' } });
    });
    assert.deepEqual((await authenticate(token))?.user, user);
    reader.stale = true;
    reader.later.push(() => reader.remove('', 'serviceaccounts', 'ns', 'robot'));
    await assert.rejects(authenticate(token), CredentialError);
    reader.stale = true;
    reader.down = true;
    await assert.rejects(authenticate(token), (error) => error instanceof StatusError && error.code === 503);
  });

  describe('that are stored in secrets', () => {
    const claims = (change: object = {}) => ({
      iss: `${naming.product}/serviceaccount`,
      sub: 'system:serviceaccount:ns:robot',
      [`${naming.domain()}/serviceaccount/namespace`]: 'ns',
      [`${naming.domain()}/serviceaccount/secret.name`]: 'leg',
      [`${naming.domain()}/serviceaccount/service-account.name`]: 'robot',
      [`${naming.domain()}/serviceaccount/service-account.uid`]: 'uid-robot',
      ...change,
    });
    const keep = (token: string) =>
      reader.put('', 'secrets', {
        metadata: { namespace: 'ns', name: 'leg', uid: 'uid-leg' },
        data: { token: Buffer.from(token).toString('base64') },
      });

    it('are accepted while their secret contains them', async () => {
      const token = await sign(claims());
      await assert.rejects(authenticate(token), { message: 'Token has been invalidated' });
      keep('other');
      await assert.rejects(authenticate(token), { message: "token does not match server's copy" });
      keep(token);
      kinds = [];
      const annotation = [naming.key('authentication/legacy-token'), user.name];
      assert.deepEqual(await authenticate(token), { user, audiences: [issuer], annotation });
      assert.deepEqual(kinds, ['legacy']);
      await assert.rejects(authenticate(token, ['elsewhere']), {
        message: `token audiences ["${issuer}"] is invalid for the target audiences ["elsewhere"]`,
      });
      reader.remove('', 'secrets', 'ns', 'leg');
      await assert.rejects(authenticate(token), { message: 'Token has been invalidated' });
      assert.deepEqual((await authenticate(token, [issuer], false))?.user, user, 'without looking them up');
    });

    const prefix = `${naming.domain()}/serviceaccount/`;
    for (const [missing, error] of [
      ['sub', 'sub claim is missing'],
      [`${prefix}namespace`, 'namespace claim is missing'],
      [`${prefix}secret.name`, 'secretName claim is missing'],
      [`${prefix}service-account.name`, 'serviceAccountName claim is missing'],
      [`${prefix}service-account.uid`, 'serviceAccountUID claim is missing'],
    ] as const)
      it(`are refused without ${missing}`, async () =>
        assert.rejects(authenticate(await sign(claims({ [missing]: undefined }))), { message: error }));

    it('are refused if the subject is another account', async () =>
      assert.rejects(authenticate(await sign(claims({ sub: 'system:serviceaccount:ns:other' }))), {
        message: 'sub claim is invalid',
      }));
  });
});
