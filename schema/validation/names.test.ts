import assert from 'node:assert/strict';
import {
  cIdentifier,
  configKey,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  environmentVariable,
  httpHeaderName,
  labelName,
  labelValue,
  pathSegmentName,
  percentText,
  portName,
  qualifiedName,
  type TextCheck,
  wildcardSubdomain,
} from './names.ts';

const long = (length: number) => 'a'.repeat(length);

/** A check, valid texts, and invalid texts. */
const CHECKS: [name: string, check: TextCheck, good: string[], bad: string[]][] = [
  ['dns1123Label', dns1123Label, ['a', '0', 'my-name', long(63)], ['', 'A', 'a.b', '-a', 'a-', 'a_b', long(64), 'a\n']],
  ['dns1123Subdomain', dns1123Subdomain, ['a', 'a.b', '1.2', long(253)], ['', 'a..b', '.a', 'a.', 'A', long(254)]],
  ['dns1035Label', dns1035Label, ['a', 'a1', 'my-name'], ['', '1a', 'a.b', 'A', long(64)]],
  ['wildcardSubdomain', wildcardSubdomain, ['*.a', '*.example.com'], ['*', '*.', 'a.*', '*.*', 'example.com']],
  ['labelValue', labelValue, ['', 'a', 'A_b.c-d', long(63)], ['-a', 'a-', 'a b', 'a/b', long(64)]],
  ['portName', portName, ['http', 'a1', '8080a', 'a-b'], ['', '80', 'A', 'a--b', '-a', 'a-', 'a_b', long(16)]],
  ['environmentVariable', environmentVariable, ['A', 'my.env-name', '_'], ['', '1a', 'a b', 'a=b', '.', '..', '..a']],
  ['configKey', configKey, ['a', 'A_b.c', '.a', long(253)], ['', 'a b', 'a/b', '.', '..', '..a', long(254)]],
  ['cIdentifier', cIdentifier, ['a', '_', 'My_1'], ['', '1', 'a-b']],
  ['httpHeaderName', httpHeaderName, ['X-Header-Name'], ['', 'X Y', 'X:']],
  ['percentText', percentText, ['0%', '93%', '101%'], ['', '5', '%', '-5%', '5.5%', 'x%']],
  ['pathSegmentName', pathSegmentName, ['system:Odd Name', '...'], ['.', '..', 'a/b', 'a%b']],
  ['qualifiedName', qualifiedName, ['a', 'A_b.c', 'example.com/A'], ['', '/a', 'a/', 'a/b/c', 'UP.io/x', 'a b']],
];

describe('name validation', () => {
  for (const [name, check, good, bad] of CHECKS) {
    it(name, () => {
      for (const text of good) assert.deepEqual(check(text), [], text);
      for (const text of bad) assert.notDeepEqual(check(text), [], text);
    });
  }

  it('reports every problem in the words that clients expect', () => {
    const name =
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    const subdomain =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    const rows: [TextCheck, string, string[]][] = [
      [qualifiedName, 'bad name/x y', [`prefix part ${subdomain}`, name]],
      [qualifiedName, '', ['name part must be non-empty', name]],
      [qualifiedName, '/a', ['prefix part must be non-empty']],
      [qualifiedName, long(64), ['name part must be no more than 63 characters']],
      [
        qualifiedName,
        'a/b/c',
        [
          `a qualified ${name.replace(' part', '')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
        ],
      ],
      [configKey, '..', ["must not be '..'"]],
      [configKey, '..x', ["must not start with '..'"]],
      [pathSegmentName, 'a/%', ["may not contain '/'", "may not contain '%'"]],
      [dns1123Label, long(64), ['must be no more than 63 characters']],
      [
        portName,
        'UPPER',
        [
          'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
          'must contain at least one letter (a-z)',
        ],
      ],
    ];
    for (const [check, text, problems] of rows) assert.deepEqual(check(text), problems);
  });

  it('allows a generateName prefix that ends with a dash, and a path segment prefix ".."', () => {
    assert.deepEqual(labelName('my-', true), []);
    assert.notDeepEqual(labelName('my-'), []);
    assert.notDeepEqual(labelName('My-', true), []);
    assert.deepEqual(pathSegmentName('..', true), []);
  });
});
