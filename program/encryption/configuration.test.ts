import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { readText } from '#program/operator-files/read-file.ts';
import { type EncryptionContext, readEncryption } from './configuration.ts';

const naming = createNaming('orch');
const STORED = new Map([
  ['/secrets', { group: '', plural: 'secrets' }],
  ['/configmaps', { group: '', plural: 'configmaps' }],
  ['apps/deployments', { group: 'apps', plural: 'deployments' }],
  ['coordination/leases', { group: 'coordination', plural: 'leases' }],
  ['events/events', { group: '', plural: 'events' }],
]);
const context: EncryptionContext = {
  naming,
  allowsKmsV2: false,
  storageOf: (group, plural) => STORED.get(`${group}/${plural}`),
};
const parse = (text: string) => readEncryption(readText(text, 'enc.yaml'), context);
const KEY = Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('base64');
const HEAD = `apiVersion: ${naming.apiVersion('apiserver.config', 'v1')}\nkind: EncryptionConfiguration\n`;

function withResources(names: string): string {
  return `${HEAD}resources:\n- resources: ${names}\n  providers:\n  - identity: {}\n`;
}

function withProviders(lines: string): string {
  return `${HEAD}resources:\n- resources: [secrets]\n  providers:\n${lines}`;
}

describe('EncryptionConfiguration', () => {
  it('lists the providers of each resource', () => {
    const text = `${HEAD}resources:
- resources: [secrets, leases.${naming.group('coordination')}, widgets.example.com]
  providers:
  - aesgcm:
      keys:
      - {name: key1, secret: ${KEY}}
  - kms: {name: vault, endpoint: unix:///run/kms.sock, cachesize: -1, timeout: 500ms}
  - identity: {}
- resources: ['*.apps', '*.', '*.*']
  providers: [identity]
`.replace('[identity]', '[{identity: {}}]');
    const [first, second] = parse(text);
    assert.deepEqual(first, {
      matches: [
        { group: '', plural: 'secrets' },
        { group: 'coordination', plural: 'leases' },
        { group: 'example.com', plural: 'widgets' },
      ],
      providers: [
        { kind: 'aesgcm', keys: [{ name: 'key1', secret: Buffer.from(KEY, 'base64') }] },
        {
          kind: 'kms',
          kms: { apiVersion: 'v1', name: 'vault', path: '/run/kms.sock', cacheSize: -1, timeoutMs: 500 },
        },
        { kind: 'identity' },
      ],
    });
    assert.deepEqual(second!.matches, [
      { group: 'apps', plural: undefined },
      { group: '', plural: undefined },
      { group: undefined, plural: undefined },
    ]);
  });

  const refused: readonly [what: string, text: string, message: RegExp][] = [
    ['nothing', '', /^enc.yaml:1:\d+: it must be an object/],
    ['a document that is not YAML', `${HEAD}resources: [`, /^enc.yaml:\d:\d+: it is neither YAML nor JSON/],
    [
      'an unknown kind',
      HEAD.replace('Encryption', 'Admission'),
      /^enc.yaml:2:\d+: kind must be "EncryptionConfiguration"/,
    ],
    [
      'an unknown version',
      HEAD.replace('/v1', '/v2'),
      /^enc.yaml:1:\d+: apiVersion must be "apiserver.config.orch.io\/v1"/,
    ],
    ['no resources', HEAD, /resources is missing/],
    ['an unknown field', `${HEAD}resource: []\n`, /^enc.yaml:3:1: resource is not known: did you mean resources\?$/m],
    [
      'an empty list of resources',
      withResources('[]'),
      /^enc.yaml:4:\d+: resources\[0\].resources must name at least one/,
    ],
    ['an unknown resource', withResources('[secret]'), /^enc.yaml:4:\d+: .* there is no "secret"/],
    ['a resource twice', withResources('[secrets, secrets]'), /^enc.yaml:4:\d+: .*\[1\] names "secrets" again/],
    ['the resource *', withResources("['*']"), /must not be "\*"/],
    ['a * inside of a group name', withResources("['*.*.io']"), /has a \* in the name of a group/],
    ['a path', withResources('[secrets/status]'), /must be RESOURCE, or RESOURCE.GROUP/],
    ['another API group of a stored resource', withResources('[events.events.orch.io]'), /are stored as events/],
    ['no providers', withProviders(''), /^enc.yaml:5:\d+: resources\[0\].providers is missing/],
    ['an unknown provider', withProviders('  - aes: {}\n'), /^enc.yaml:6:\d+: .*\.aes is not one of aesgcm/],
    [
      'two providers in one entry',
      withProviders('  - identity: {}\n    aesgcm: {}\n'),
      /^enc.yaml:6:5: .* must have exactly one of/,
    ],
    ['no keys', withProviders('  - aesgcm:\n      keys: []\n'), /^enc.yaml:7:\d+: .*\.keys must name at least one/],
    [
      'no secret',
      withProviders('  - aescbc:\n      keys:\n      - name: key1\n'),
      /providers\[0\].aescbc.keys\[0\].secret is missing/,
    ],
    [
      'a short secret',
      withProviders(`  - secretbox:\n      keys:\n      - name: key1\n        secret: ${KEY.slice(0, 16)}\n`),
      /^enc.yaml:9:\d+: .*secret must have 32 bytes for secretbox, and has 12$/,
    ],
    [
      'a weak secret',
      withProviders(`  - aesgcm:\n      keys:\n      - name: a\n        secret: ${'A'.repeat(43)}=\n`),
      /^enc.yaml:9:\d+: .*too simple/,
    ],
    [
      'a secret that is not base64',
      withProviders('  - aesgcm:\n      keys:\n      - name: a\n        secret: "not base64!"\n'),
      /^enc.yaml:9:\d+: .*secret must be in base64$/,
    ],
    [
      'two keys with the same name',
      withProviders(`  - aesgcm:\n      keys:\n${`      - {name: a, secret: ${KEY}}\n`.repeat(2)}`),
      /^enc.yaml:9:\d+: .*keys\[1\].name is that of an earlier key, "a"/,
    ],
    [
      'a colon in the name of a key',
      withProviders(`  - aesgcm: {keys: [{name: "a:b", secret: ${KEY}}]}\n`),
      /name must be short, without colons/,
    ],
    [
      'an invalid endpoint',
      withProviders('  - kms: {name: a, endpoint: "http://x"}\n'),
      /like unix:\/\/\/run\/kms.sock/,
    ],
    [
      'a cache without space for keys',
      withProviders('  - kms: {name: a, endpoint: "unix:///a", cachesize: 0}\n'),
      /cachesize must not be 0/,
    ],
    [
      'a timeout of zero',
      withProviders('  - kms: {name: a, endpoint: "unix:///a", timeout: 0s}\n'),
      /timeout must be positive/,
    ],
    [
      'an alpha version without its feature gate',
      withProviders('  - kms: {apiVersion: v2, name: a, endpoint: "unix:///a"}\n'),
      /--feature-gates=KMSv2=true/,
    ],
    [
      'two plug-ins with the same name',
      withProviders('  - kms: {name: a, endpoint: "unix:///a"}\n'.repeat(2)),
      /^enc.yaml:7:\d+: .*name is that of another plug-in, "a"/,
    ],
  ];
  for (const [what, text, message] of refused) {
    it(`is refused with the line of the mistake: ${what}`, () => {
      assert.throws(() => parse(text), { name: 'ConfigError', message });
    });
  }

  it('is refused with all its mistakes', () => {
    const text = withProviders(
      `  - aesgcm:\n      keys:\n      - {name: a, secret: AAAA}\n      - {name: a, secret: "?"}\n`,
    ).replace('[secrets]', '[secret, secrets, secrets]');
    assert.throws(
      () => parse(text),
      (error: Error) => {
        const places = error.message.split('\n').map((line) => /^enc\.yaml:\d+:\d+/.exec(line)?.[0]);
        assert.deepEqual(
          places,
          ['4:15', '4:32', '8:27', '9:16', '9:27'].map((place) => `enc.yaml:${place}`),
        );
        return true;
      },
    );
  });

  it('never shows a secret in an error', () => {
    const broken = [
      withProviders(`  - aesgcm:\n      keys:\n      - name: a\n        secret: x${KEY}\n`),
      withProviders(`  - aesgcm:\n      keys:\n      - name: a\n        secret: [${KEY}\n`),
      withProviders(`  - aesgcm:\n      keys:\n      - name: a\n       secret: ${KEY}\n`),
    ];
    for (const text of broken) {
      assert.throws(
        () => parse(text),
        (error: Error) => error.name === 'ConfigError' && !error.message.includes(KEY.slice(0, 12)),
      );
    }
  });
});
