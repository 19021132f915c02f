import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { encryption, tracing, unversionedPlugins } from './kinds.ts';
import { readFile, readText } from './read-file.ts';

const naming = createNaming('orch');
const HEAD = 'apiVersion: apiserver.config.orch.io/v1alpha1\nkind: TracingConfiguration\n';

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    assert.equal((error as Error).name, 'ConfigError');
    return (error as Error).message;
  }
  return 'nothing is wrong';
}

const readTracing = (text: string) => readText(text, 'a.yaml').as(tracing, naming);

describe('readFile and readText', () => {
  it('show all mistakes of a file in order', () => {
    const text = `${HEAD}samplingRatePerMillion: x\nendpoint: a\nendpoint: "a b"\nodd: 1\n`;
    assert.deepEqual(messageOf(() => readTracing(text)).split('\n'), [
      'a.yaml:3:25: samplingRatePerMillion must be a whole number',
      'a.yaml:5:1: endpoint stands here twice',
      'a.yaml:5:11: endpoint must be the host and port of a collector',
      'a.yaml:6:1: odd is not one of endpoint, samplingRatePerMillion, kind, apiVersion',
    ]);
  });

  it('treat a field without a value as absent', () => {
    assert.deepEqual(readTracing(`${HEAD}endpoint:\n`).endpoint, null);
    const text = 'imagePolicy:\n  kubeConfigFile:\n';
    assert.equal(
      messageOf(() => readText(text, 'a').as(unversionedPlugins, naming)),
      'a:2:3: imagePolicy.kubeConfigFile is missing',
    );
  });

  it('follow YAML anchors', () => {
    const text = `${HEAD}endpoint: &a localhost:1\nsamplingRatePerMillion: *a\n`;
    assert.equal(
      messageOf(() => readTracing(text)),
      'a.yaml:4:25: samplingRatePerMillion must be a whole number',
    );
  });

  it('refuse __proto__, constructor and toString as unknown fields', () => {
    for (const name of ['__proto__', 'constructor', 'toString'])
      assert.match(
        messageOf(() => readTracing(`${HEAD}${name}: {}\n`)),
        /^a\.yaml:3:1: \S+ .*is not one of/,
      );
  });

  const broken: readonly [text: string, says: string][] = [
    ['', '1:1: it must be an object'],
    ['a', '1:1: it must be an object'],
    ['a: [', '1:5: it is neither YAML nor JSON: '],
    ['a: b: c', '1:4: it is neither YAML nor JSON: '],
    ['a: 1\n---\nb: 2', '2:1: it is neither YAML nor JSON: there is a second document'],
    ['a: *b', '1:4: it is neither YAML nor JSON: an alias names no anchor before it'],
    ['a: !odd b', '1:4: it is neither YAML nor JSON: a tag is not known'],
    ['a:\n\tb: c', '2:1: it is neither YAML nor JSON: a tab stands where spaces must stand'],
  ];
  for (const [text, says] of broken)
    it(`refuses ${JSON.stringify(text)}`, () => {
      const [first] = messageOf(() => readTracing(text)).split('\n');
      assert.ok(first!.startsWith(`a.yaml:${says}`), first);
    });

  it('refuse a file whose aliases expand too much', () => {
    const levels = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`);
    assert.match(
      messageOf(() => readTracing(`a0: &a0 [x]\n${levels.join('\n')}\n`)),
      /its aliases make too much of it/,
    );
  });

  it('name the flag of a missing file', () => {
    assert.match(
      messageOf(() => readFile('/nowhere/at/all', 'tracing-config-file')),
      /^flag --tracing-config-file: cannot read \/nowhere\/at\/all: ENOENT/,
    );
  });

  it('never show a value, or an encryption key in the wrong place', () => {
    const secret = Buffer.from(Array.from({ length: 24 }, (_, i) => i * 7)).toString('base64');
    const providers = `{aesgcm: {keys: [{name: a, secret: X}]}}, {kms: {name: b, endpoint: 'unix:///a', timeout: 3s}}`;
    const text = `apiVersion: apiserver.config.orch.io/v1
kind: EncryptionConfiguration
resources: [{resources: [secrets], providers: [${providers}]}]
`;
    // The test puts the secret into each value and each field name, one after the other.
    for (const match of text.matchAll(/[\w:./']+(?=[,}\]\n:])/g)) {
      for (const made of [secret, `[${secret}]`, `{${secret}: ${secret}}`, `"${secret}`, `${secret}: ${secret}`]) {
        const wrong = `${text.slice(0, match.index)}${made}${text.slice(match.index + match[0].length)}`;
        const message = messageOf(() => readText(wrong, 'a.yaml').as(encryption, naming));
        assert.ok(!message.includes(secret.slice(0, 8)), `${wrong}\n${message}`);
      }
    }
  });
});
