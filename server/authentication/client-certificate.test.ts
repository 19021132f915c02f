import assert from 'node:assert/strict';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '#base/errors/config-error.ts';
import {
  type CertificateWish,
  CLIENT_AUTH,
  CN,
  type MadeCertificate,
  makeAuthority,
  makeCertificate,
  O,
  SERVER_AUTH,
} from '#base/x509/make-certificate.ts';
import { type Authenticated, CredentialError } from './authenticator.ts';
import { CaBundle } from './ca-bundle.ts';
import { clientCertificateAuthenticator } from './client-certificate.ts';
import { AUTHENTICATED } from './groups.ts';
import { makeRequest } from './testing/make-request.ts';

describe('client certificates', () => {
  const authority = makeAuthority('one');
  const second = makeAuthority('two');
  const impostor = makeAuthority('one');
  const pinned = makeCertificate({ subject: [[CN, 'x']], by: impostor, usages: [CLIENT_AUTH] });
  const pinnedServer = makeCertificate({ subject: [[CN, 'x']], by: impostor, usages: [SERVER_AUTH] });
  const pinnedAuthority = makeCertificate({ subject: [[CN, 'below a stranger']], by: impostor, ca: true });
  let directory: string;
  let file: string;
  let now = Date.now();
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'ca-'));
    file = path.join(directory, 'ca.pem');
    writeFileSync(file, [authority, second, pinned, pinnedServer, pinnedAuthority].map(({ pem }) => pem).join(''));
  });
  after(() => rmSync(directory, { recursive: true }));

  const bundle = () =>
    new CaBundle(
      file,
      () => {},
      () => now,
    );
  const userOf = (found: Authenticated | CredentialError | undefined) => {
    if (found instanceof CredentialError) throw found;
    return found?.user;
  };
  const user = async (...chain: MadeCertificate[]) =>
    userOf(clientCertificateAuthenticator(bundle())(makeRequest({}, ...chain)));
  const made = (subject: CertificateWish['subject'], wish: Partial<CertificateWish> = {}) =>
    makeCertificate({ subject, by: authority, usages: [CLIENT_AUTH], ...wish });

  it('are identified by a digest in the user, in releases that have one', async () => {
    const certificate = made([[CN, 'x']]);
    const found = userOf(clientCertificateAuthenticator(bundle(), 'id')(makeRequest({}, certificate)));
    const digest = new X509Certificate(certificate.pem).fingerprint256.replaceAll(':', '').toLowerCase();
    assert.deepEqual(found?.extra, { id: [`X509SHA256=${digest}`] });
    assert.deepEqual((await user(certificate))?.extra, {});
  });

  const subjects: [what: string, subject: CertificateWish['subject'], name: string, groups: string[]][] = [
    [
      'have their organizations as groups, in order',
      [
        [O, 'a'],
        [O, 'b'],
        [CN, 'multi'],
      ],
      'multi',
      ['a', 'b'],
    ],
    [
      'keep duplicate organizations',
      [
        [O, 'a'],
        [O, 'a'],
        [CN, 'twice'],
      ],
      'twice',
      ['a', 'a'],
    ],
    ['have no groups without organizations', [[CN, 'plain']], 'plain', []],
    [
      'ignore other attributes of the subject',
      [
        ['2.5.4.11', 'unit'],
        [O, 'org'],
        ['2.5.4.7', 'town'],
        [CN, 'x'],
      ],
      'x',
      ['org'],
    ],
    [
      'have the last common name as user name',
      [
        [CN, 'first'],
        [CN, 'second'],
      ],
      'second',
      [],
    ],
    ['have names in UTF-8', [[CN, 'josé']], 'josé', []],
    [
      'keep separators in names',
      [
        [O, 'a\nO=system:masters'],
        [CN, 'x/CN=y, O=z'],
      ],
      'x/CN=y, O=z',
      ['a\nO=system:masters'],
    ],
  ];
  for (const [what, subject, name, groups] of subjects)
    it(what, async () =>
      assert.deepEqual(await user(made(subject)), { name, uid: '', groups: [...groups, AUTHENTICATED], extra: {} }),
    );

  const intermediate = makeCertificate({ subject: [[CN, 'between']], by: authority, ca: true });
  const accepted: [string, MadeCertificate[]][] = [
    ['without usages', [makeCertificate({ subject: [[CN, 'x']], by: authority, ca: false })]],
    ['for any usage', [made([[CN, 'x']], { usages: ['2.5.29.37.0'] })]],
    ['of a second authority', [made([[CN, 'x']], { by: second })]],
    ['through an intermediate', [made([[CN, 'x']], { by: intermediate }), intermediate]],
    ['that are in the bundle themselves', [pinned]],
    ['that are in the bundle themselves, together with their issuer', [pinned, impostor]],
    ['of an authority in the bundle that another one has signed', [made([[CN, 'x']], { by: pinnedAuthority })]],
    ['together with unrelated certificates', [made([[CN, 'x']], { by: intermediate }), second, intermediate]],
  ];
  for (const [what, chain] of accepted)
    it(`are accepted ${what}`, async () => assert.equal((await user(...chain))?.name, 'x'));

  const noAuthority = makeCertificate({ subject: [[CN, 'no ca']], by: authority, ca: false });
  const noSigner = makeCertificate({ subject: [[CN, 'no signer']], by: authority, ca: true, keyUsage: 0x80 });
  const short = makeCertificate({ subject: [[CN, 'short']], by: authority, ca: true, pathLength: 0 });
  const below = makeCertificate({ subject: [[CN, 'below']], by: short, ca: true });
  const refused: [string, MadeCertificate[]][] = [
    ['without a common name', [made([[O, 'only-groups']])]],
    [
      'that are self-signed',
      [
        makeCertificate({
          subject: [
            [O, 'system:masters'],
            [CN, 'm'],
          ],
        }),
      ],
    ],
    ['of another authority with the same name', [made([[CN, 'm']], { by: impostor })]],
    ['together with their own authority', [made([[CN, 'm']], { by: impostor }), impostor]],
    ['that have expired', [made([[CN, 'm']], { from: -2, to: -1 })]],
    ['that are not valid yet', [made([[CN, 'm']], { from: 1 })]],
    ['that are in the bundle themselves but for servers only', [pinnedServer]],
    ['signed by a leaf certificate in the bundle', [made([[CN, 'm']], { by: pinned }), pinned]],
    ['for servers only', [made([[CN, 'm']], { usages: [SERVER_AUTH] })]],
    ['through an intermediate that is not sent', [made([[CN, 'm']], { by: intermediate })]],
    ['signed by a certificate without the CA flag', [made([[CN, 'm']], { by: noAuthority }), noAuthority]],
    ['signed by an authority without the key usage to sign', [made([[CN, 'm']], { by: noSigner }), noSigner]],
    ['below an authority whose path length is too short', [made([[CN, 'm']], { by: below }), below, short]],
    ['with an unknown critical extension', [made([[CN, 'm']], { criticalExtensions: ['1.2.3.4'] })]],
  ];
  for (const [what, chain] of refused) it(`are refused ${what}`, () => assert.rejects(user(...chain), CredentialError));

  /** How often a signature is checked while `work` is done. */
  const checksOf = async (work: () => Promise<unknown>): Promise<number> => {
    const { verify } = X509Certificate.prototype;
    let checks = 0;
    X509Certificate.prototype.verify = function (key) {
      checks++;
      return verify.call(this, key);
    };
    try {
      await work();
    } finally {
      X509Certificate.prototype.verify = verify;
    }
    return checks;
  };

  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'secp521r1' });
  /** Authorities of one name and key: each of them may have signed each other one. */
  const circle = (count: number, by?: MadeCertificate): MadeCertificate[] =>
    Array.from({ length: count }, () => makeCertificate({ subject: [[CN, 'same']], ca: true, key, ...(by && { by }) }));
  const named = (name: string, count: number): MadeCertificate[] =>
    Array.from({ length: count }, () => makeCertificate({ subject: [[CN, name]], ca: true, key }));
  const [forged, delegated, namesake] = [circle(7), circle(6, authority), named('one', 7)];
  const costly: [what: string, most: number, chain: MadeCertificate[]][] = [
    ['unknown authorities', 0, [made([[CN, 'x']], { by: forged[0]! }), ...forged]],
    ['authorities with the name of a trusted one', 8, [made([[CN, 'x']], { by: namesake[0]! }), ...namesake]],
    [
      'authorities that sign each other, one of them signed by a trusted one',
      50,
      [made([[CN, 'x']], { by: forged[0]!, usages: [SERVER_AUTH] }), ...forged.slice(0, 5), ...delegated.slice(0, 2)],
    ],
    [
      'authorities that a trusted one signed and that look like issuers of each other',
      50,
      [made([[CN, 'x']], { by: delegated[0]!, usages: [SERVER_AUTH] }), ...delegated],
    ],
  ];
  for (const [what, most, chain] of costly) {
    it(`cost at most ${most} signature checks for ${what}, once a connection`, async () => {
      const request = makeRequest({}, ...chain);
      const authenticate = clientCertificateAuthenticator(bundle());
      const ask = async () => assert.ok(authenticate(request) instanceof CredentialError);
      const checks = await checksOf(ask);
      assert.ok(checks <= most, `${checks} checks`);
      assert.equal(await checksOf(ask), 0);
    });
  }

  it('give no opinion if there is none', async () => assert.equal(await user(), undefined));

  it('are refused if any byte is changed', async () => {
    const good = made([[CN, 'x']]);
    for (let i = 0; i < 300; i++) {
      const der = Buffer.from(good.der);
      const at = (i * 7919) % der.length;
      der[at] = (der[at] ?? 0) ^ (1 + (i % 255));
      const truncated = i % 3 === 0 ? der.subarray(0, at) : der;
      const found = await user({ ...good, der: truncated }).catch((error: unknown) => error);
      assert.ok(found instanceof CredentialError, `byte ${at} changed: ${JSON.stringify(found)}`);
    }
  });

  it('are no longer trusted on an open connection after they expire or their authority is removed', () => {
    const authorities = bundle();
    const authenticate = clientCertificateAuthenticator(authorities);
    const request = makeRequest({}, made([[CN, 'x']]));
    assert.equal(userOf(authenticate(request))?.name, 'x');
    now += 40 * 86_400_000;
    assert.ok(authenticate(request) instanceof CredentialError);
    now -= 40 * 86_400_000;
    writeFileSync(file, second.pem);
    utimesSync(file, 1, 1);
    now += 6000;
    assert.ok(authenticate(request) instanceof CredentialError);
    writeFileSync(file, 'not a certificate');
    utimesSync(file, 2, 2);
    now += 6000;
    assert.deepEqual(authorities.pem, [second.pem], 'an unusable file changes nothing');
    writeFileSync(file, authority.pem + second.pem);
    now += 6000;
    assert.equal(userOf(authenticate(request))?.name, 'x');
  });

  it('need a valid file of authorities at the start', () => {
    assert.throws(() => new CaBundle(path.join(directory, 'none')), ConfigError);
    const empty = path.join(directory, 'empty.pem');
    writeFileSync(empty, '');
    assert.throws(() => new CaBundle(empty), ConfigError);
    assert.throws(() => new CaBundle({ pem: 'no certificate' }), ConfigError);
    assert.deepEqual(new CaBundle({ pem: authority.pem }).pem.length, 1);
  });
});
