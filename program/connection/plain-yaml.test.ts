import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parse } from 'yaml';
import { type PlainValue, readPlainYaml } from './plain-yaml.ts';

const CONFIG = `apiVersion: v1
kind: Config
# by hand
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTg==
    server: https://127.0.0.1:6443
  name: "local"
-   cluster:
      insecure-skip-tls-verify: true
      server: 'https://[::1]:6443'
    name: two
contexts:
  - context:
      cluster: local
      user: admin@local
    name: local

current-context: local
preferences: {}
users:
- name: admin@local
  user:
    client-certificate: /home/me/pki/admin.crt
    exec:
      args:
      - get-token
      - --cluster
      env: null
    extra:
`;

describe('readPlainYaml', () => {
  it('reads the same value as a complete YAML parser', () => {
    const text = CONFIG.replace('[::1]', '::1').replace('      - --cluster\n', '      - cluster\n');
    const value = readPlainYaml(text);
    assert.ok(value !== undefined);
    assert.deepEqual(value, parse(text));
  });

  /** Texts that are left to the full reader. */
  const others: readonly string[] = [
    '',
    '{"a": "b"}',
    'a: [b]',
    'a: |\n  b',
    'a: b # c',
    'a: 12',
    'a: 1e3',
    'a: 0x1f',
    'a: yes',
    'a: ~',
    'a: !!str b',
    'a: &b c',
    'a: "b\\n"',
    "a: 'it''s'",
    'a: b\na: c',
    'a: b\n c: d',
    'a:\n    b: c\n  d: e',
    '\ta: b',
    'a: b\r\n',
    '---\na: b',
    'a: b: c',
    '__proto__: a',
    '? a\n: b',
    '- a\nb: c',
    'a: b c',
    `${Array.from({ length: 100 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')}`,
  ];
  for (const text of others)
    it(`leaves ${JSON.stringify(text.slice(0, 30))} to the complete parser`, () =>
      assert.equal(readPlainYaml(text), undefined));

  const word = fc.oneof(
    fc.constantFrom(
      'a',
      'server',
      'null',
      'true',
      'no',
      '1',
      '1e3',
      '0x1',
      '{}',
      '""',
      "'x y'",
      'https://a:1/b',
      'a:',
      '-',
    ),
    fc.stringMatching(/^[\w:./"' #-]{1,8}$/),
  );
  const line = fc.tuple(
    fc.constantFrom('', '  ', '    ', '- ', '  - ', '-   '),
    word,
    fc.constantFrom(':', ': ', ''),
    word,
  );
  it('never differs from the complete parser', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (parts) => {
        const text = parts.map((part) => part.join('')).join('\n');
        const value = readPlainYaml(text);
        if (value !== undefined) assert.deepEqual(value, parse(text) as PlainValue);
      }),
      { numRuns: 30_000, interruptAfterTimeLimit: 5000 },
    );
  });
});
