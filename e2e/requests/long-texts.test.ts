import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import { trimText } from '#base/text/trim-text.ts';
import { certificatesIn, pemBlocks } from '#base/x509/pem.ts';
import { parseDuration as parseFlagDuration } from '#program/flags/duration.ts';
import { pullPolicyOf } from '#schema/conversion/core/image-name.ts';
import { validateFieldManager, validateManagedFields } from '#schema/validation/field-manager.ts';
import { parseCidr, parseIp } from '#schema/validation/ip.ts';
import { dns1123Subdomain, labelValue, qualifiedName, wildcardSubdomain } from '#schema/validation/names.ts';
import { scheduleProblem } from '#schema/values/cron-schedule.ts';
import { parseDuration } from '#schema/values/duration.ts';
import { parseLabelSelector } from '#server/api/label-selector.ts';
import { mediaType, parseAccept } from '#server/api/negotiation.ts';
import { compileJsonPath } from '#server/custom-resources/kinds/json-path.ts';
import { checkedFormat, hasFormat } from '#server/expressions/texts/formats.ts';
import { validateFieldReference } from '#server/kinds/core/pod-spec/field-references.ts';
import { behindPrefix } from '#server/subresources/connect/target-name.ts';

const PATH = new FieldPath('f');
/** A text of about 200,000 characters. Code that reads the whole rest of the text at each step does not end in time. */
const long = (atom: string): string => atom.repeat(Math.ceil(200_000 / atom.length));
/** The outcome, which is a value or `refused`. */
const attempt = (read: () => unknown): unknown => {
  try {
    return read();
  } catch {
    return 'refused';
  }
};

const LONG_SCHEDULE = 'spec string longer than 10000 characters';

const cases: readonly [what: string, read: () => unknown, expected: unknown][] = [
  ['a duration without a unit', () => parseDuration(`${long('1000s')}!`), 'refused'],
  ['a duration with many parts', () => parseDuration(long('1s')), 'refused'],
  ['a duration with many digits', () => parseDuration(`${long('9')}s`), 'refused'],
  ['a duration with many zeros', () => parseDuration(`${long('0')}1.5${long('0')}s`), 'refused'],
  ['a duration of a flag', () => parseFlagDuration(`${long('1000s')}!`), 'refused'],
  ['a schedule with one very long field', () => scheduleProblem(`@every ${long('1000s')}`), LONG_SCHEDULE],
  ['a schedule with many fields', () => scheduleProblem(long('* ')), LONG_SCHEDULE],
  ['a schedule with a long list', () => scheduleProblem(`${long('1,')}1 * * * *`), LONG_SCHEDULE],
  ['digits as an address', () => parseIp(`${long('0')}.0.0`), undefined],
  ['colons as a range', () => parseCidr(`${long(':')}/64`), undefined],
  [
    'a field path with many subscripts',
    () => validateFieldReference({ apiVersion: 'v1', fieldPath: long("['") }, [], PATH).length,
    1,
  ],
  ['an image with many hosts', () => pullPolicyOf(`${long('a.')}!`), 'IfNotPresent'],
  ['an image with many path segments', () => pullPolicyOf(`${long('a/')}!`), 'IfNotPresent'],
  ['a subdomain', () => dns1123Subdomain(`${long('a-')}!`).length, 2],
  ['a wildcard', () => wildcardSubdomain(`*.${long('a.')}!`).length, 2],
  ['a qualified name', () => qualifiedName(`${long('a.')}/${long('a.')}!`).length, 4],
  ['a label', () => labelValue(`${long('a.')}!`).length, 2],
  ['a field manager with control characters', () => validateFieldManager(long('\u0001'), PATH).length, 1],
  [
    'many field managers with control characters',
    () =>
      validateManagedFields(
        Array.from({ length: 20_000 }, () => ({
          manager: '\u0001'.repeat(128),
          operation: 'Update',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
        })),
        PATH,
      ).length < 3000,
    true,
  ],
  ['an expression with many blanks', () => typeof compileJsonPath(`.a[?(@.b${long(' ')}x)]`), 'function'],
  ['a redirect without a path', () => behindPrefix(`//${long(':')}#\n`, 'a', '/p').length > 0, true],
  ['blocks without an end', () => pemBlocks(long('-----BEGIN A-----\nAAAA\n')).length, 0],
  ['blocks without a beginning', () => pemBlocks(long('-----END A-----\n')).length, 0],
  ['certificates without an end', () => certificatesIn(long('-----BEGIN CERTIFICATE-----\n')).length, 0],
  ['certificates in one line', () => certificatesIn(long('-----BEGIN CERTIFICATE-----')).length, 0],
  ['a text with many blanks', () => trimText(` a${long(' ')}b `, ' ').length, 200_002],
  ['a media type with many blanks', () => mediaType(`a/b; c=d${long(' ')}x`).length, 200_009],
  ['a media type with many semicolons', () => mediaType(`a/b${long('; ')}x`).length, 200_004],
  ['a media type with many parameters', () => mediaType(`a/b${long('; a="b"')}`), 'a/b'],
  ['a media type with many escapes', () => mediaType(`a/b; a="${long('\\"')}`).length, 200_008],
  ['an Accept header with many parameters', () => parseAccept(`a/b${long(';a=b')}`).length, 1],
  ['an Accept header with many ranges, of which the first ones count', () => parseAccept(long('a/b,')).length, 100],
  ['a label selector', () => attempt(() => parseLabelSelector(`${long('a in (b),')}!`)), 'refused'],
  ...['uri', 'email', 'hostname', 'mac', 'rgbcolor', 'byte', 'duration', 'datetime', 'isbn', 'creditcard'].flatMap(
    (format) => {
      assert.notEqual(checkedFormat(format), '');
      return ['a', '0', ' ', '-', '.', '00:', 'a@', '"\\"'].map((atom): [string, () => unknown, unknown] => [
        `a text of ${JSON.stringify(atom)} as ${format}`,
        () => hasFormat(format, `${long(atom)}\u0000`),
        false,
      ]);
    },
  ),
];

describe('parsers of texts with 200,000 characters take little time', () => {
  for (const [what, read, expected] of cases) {
    it(`${what}`, () => assert.deepEqual(attempt(read), expected));
  }
});
