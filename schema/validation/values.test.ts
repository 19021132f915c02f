import assert from 'node:assert/strict';
import { type FieldError, FieldPath } from '#base/errors/field-error.ts';
import { JsonNumber } from '#base/json/json-value.ts';
import { latestRelease } from '#base/release/release.ts';
import { validateConditions } from './conditions.ts';
import { validateDomain, validateDomainPrefixedPath, validateQualifiedDomain } from './domain-names.ts';
import { forbidChange, semanticallyEqual, validateImmutable } from './immutable.ts';
import { validateNonnegative, validatePositive, validateRange } from './numbers.ts';
import { isNone, validateAtMostAll, validateCountOrPercent } from './percent.ts';
import { validatePortNumberOrName, validateProtocol } from './ports.ts';
import { validateNamespacedReference, validateScaleTarget } from './reference.ts';

const P = new FieldPath('f');

/** The case, the errors of the call, and the whole texts of the errors or their beginnings. */
const ROWS: [what: string, errors: FieldError[], texts: string[]][] = [
  ['a count', validateNonnegative(0, P), []],
  ['no count', validateNonnegative(undefined, P), []],
  ['a negative count', validateNonnegative(-1, P), ['f: Invalid value: -1: must be greater than or equal to 0']],
  ['a large count', validateNonnegative(new JsonNumber('9223372036854775807'), P), []],
  ['zero', validatePositive(0, P), ['f: Invalid value: 0: must be greater than 0']],
  ['a range', validateRange(1, 1, 2, P), []],
  ['outside a range', validateRange(3, 1, 2, P), ['f: Invalid value: 3: must be between 1 and 2, inclusive']],
  ['a percentage', validateCountOrPercent('50%', P), []],
  [
    'no percentage',
    validateCountOrPercent('50', P),
    ['f: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"50"}: a valid percent string'],
  ],
  ['a negative number', validateCountOrPercent(-1, P), ['f: Invalid value: -1: must be greater than or equal to 0']],
  ['all', validateAtMostAll('100%', P), []],
  [
    'more than all',
    validateAtMostAll('101%', P),
    ['f: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%'],
  ],
  [
    'far more than all',
    validateAtMostAll(`${'9'.repeat(30)}%`, P),
    ['f: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"999'],
  ],
  ['a port', validatePortNumberOrName(80, P), []],
  ['a port by name', validatePortNumberOrName('http', P), []],
  ['no port', validatePortNumberOrName(undefined, P), ['f: Invalid value: 0: must be between 1 and 65535, inclusive']],
  ['a port too high', validatePortNumberOrName(65536, P), ['f: Invalid value: 65536: must be between']],
  ['a protocol', validateProtocol('SCTP', P), []],
  ['no protocol', validateProtocol('', P), ['f: Required value']],
  [
    'another protocol',
    validateProtocol('tcp', P),
    ['f: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"'],
  ],
  ['a domain of three', validateQualifiedDomain('a.example.com', P), []],
  [
    'a domain of two',
    validateQualifiedDomain('example.com', P),
    ['f: Invalid value: "example.com": should be a domain with at least three'],
  ],
  ['a domain', validateDomain('example.com.', P), []],
  [
    'a single label',
    validateDomain('example', P),
    ['f: Invalid value: "example": should be a domain with at least two'],
  ],
  ['no domain', validateDomain('', P), ['f: Required value']],
  ['a path', validateDomainPrefixedPath('acme.io/foo', P), []],
  [
    'no path',
    validateDomainPrefixedPath('acme.io/', P),
    ['f: Invalid value: "acme.io/": must be a domain-prefixed path'],
  ],
  ['a bad path', validateDomainPrefixedPath('acme.io/a b', P), ['f: Invalid value: "a b": Invalid path']],
  ['unchanged', validateImmutable({ a: 1, b: [] }, { a: 1, c: null }, P), []],
  ['changed', validateImmutable('x', 'y', P), ['f: Invalid value: "x": field is immutable']],
  ['forbidden to change', forbidChange(1, 2, P), ['f: Forbidden: field is immutable']],
  ['a reference', validateNamespacedReference({ name: 'a' }, P), ['f.namespace: Required value']],
  [
    'a scale target',
    validateScaleTarget({ kind: 'a/b' }, P),
    ['f.kind: Invalid value: "a/b": may not contain \'/\'', 'f.name: Required value'],
  ],
  [
    'conditions since 1.37',
    validateConditions([{}, { type: 'A', status: 'x' }, { type: 'A', status: 'True', reason: 'R' }], P, latestRelease),
    [
      'f[0].type: Required value: is required',
      'f[0].status: Required value',
      'f[0].lastTransitionTime: Required value',
      'f[0].reason: Required value',
      'f[1].status: Unsupported value: "x": supported values: "False", "True", "Unknown"',
      'f[1].lastTransitionTime: Required value',
      'f[1].reason: Required value',
      'f[2]: Duplicate value: "A"',
      'f[2].lastTransitionTime: Required value',
    ],
  ],
  [
    'conditions',
    validateConditions(
      [
        { type: 'A', status: 'True', reason: 'R', lastTransitionTime: '2020-01-01T00:00:00Z' },
        { type: 'A', status: 'Maybe', reason: '1', observedGeneration: -1 },
        { type: 'B', status: 'False', reason: 'r'.repeat(1025), message: 'm'.repeat(32_769), lastTransitionTime: 'x' },
      ],
      P,
    ),
    [
      'f[1].type: Duplicate value: "A"',
      'f[1].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
      'f[1].observedGeneration: Invalid value: -1: must be greater than or equal to zero',
      'f[1].lastTransitionTime: Required value: must be set',
      'f[1].reason: Invalid value: "1": a condition reason must start with alphabetic character',
      'f[2].reason: Too long: must have at most 1024 bytes',
      'f[2].message: Too long: must have at most 32768 bytes',
    ],
  ],
];

describe('common checks', () => {
  for (const [what, errors, texts] of ROWS) {
    it(what, () => {
      assert.deepEqual(
        errors.map(({ text }, i) => text.slice(0, texts[i]?.length ?? text.length)),
        texts,
      );
    });
  }

  it('isNone finds counts and percentages that are zero or less, or no number', () => {
    for (const value of [0, '0%', undefined, null, 'x', '-5%']) assert.equal(isNone(value), true, String(value));
    for (const value of [1, '1%']) assert.equal(isNone(value), false, value.toString());
  });

  it('semanticallyEqual treats an empty list as absent, but not an empty message or text', () => {
    assert.equal(semanticallyEqual({ a: { b: [] } }, { a: {} }), true);
    assert.equal(semanticallyEqual({ a: {} }, {}), false);
    assert.equal(semanticallyEqual([{}], []), false);
    assert.equal(semanticallyEqual({ a: '' }, {}), false);
    assert.equal(semanticallyEqual({ n: 1 }, { n: new JsonNumber('1') }), true);
  });
});
