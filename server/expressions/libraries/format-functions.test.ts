import assert from 'node:assert/strict';
import { outcome } from '../testing/outcome.ts';

/** Programs of the field give the same results. */
const CASES: [expression: string, outcome: string][] = [
  ['format.dns1123Label().validate("abc")', 'none'],
  [
    'format.dns1123Label().validate("")',
    `opt(["a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"])`,
  ],
  [
    'format.dns1123Label().validate("aGVsbG8=")',
    `opt(["a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"])`,
  ],
  [
    'format.dns1123Label().validate("a_b")',
    `opt(["a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"])`,
  ],
  ['format.dns1123Subdomain().validate("a.b")', 'none'],
  [
    'format.dns1123Subdomain().validate("")',
    `opt(["a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"])`,
  ],
  [
    'format.dns1123Subdomain().validate("aGVsbG8=")',
    `opt(["a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"])`,
  ],
  [
    'format.dns1123Subdomain().validate("a_b")',
    `opt(["a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"])`,
  ],
  [
    'format.dns1035Label().validate("a.b")',
    `opt(["a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"])`,
  ],
  [
    'format.dns1035Label().validate("")',
    `opt(["a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"])`,
  ],
  [
    'format.dns1035Label().validate("aGVsbG8=")',
    `opt(["a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"])`,
  ],
  [
    'format.dns1035Label().validate("a_b")',
    `opt(["a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"])`,
  ],
  ['format.qualifiedName().validate("a.b")', 'none'],
  [
    'format.qualifiedName().validate("")',
    `opt(["name part must be non-empty", "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"])`,
  ],
  ['format.qualifiedName().validate("2021-01-01")', 'none'],
  [
    'format.qualifiedName().validate("-")',
    `opt(["name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"])`,
  ],
  ['format.dns1123LabelPrefix().validate("1a")', 'none'],
  [
    'format.dns1123LabelPrefix().validate("example.com/Name")',
    `opt(["a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"])`,
  ],
  [
    'format.dns1123LabelPrefix().validate("2021-01-01T00:00:00Z")',
    `opt(["a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"])`,
  ],
  ['format.dns1123LabelPrefix().validate("a--")', 'none'],
  ['format.dns1123SubdomainPrefix().validate("a-")', 'none'],
  [
    'format.dns1123SubdomainPrefix().validate("http://example.com")',
    `opt(["a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"])`,
  ],
  [
    'format.dns1123SubdomainPrefix().validate("a b")',
    `opt(["a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"])`,
  ],
  ['format.dns1123SubdomainPrefix().validate("x.-")', 'none'],
  [
    'format.dns1035LabelPrefix().validate("-a")',
    `opt(["a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"])`,
  ],
  [
    'format.dns1035LabelPrefix().validate("123e4567-e89b-12d3-a456-426614174000")',
    `opt(["a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"])`,
  ],
  [
    'format.dns1035LabelPrefix().validate("/path")',
    `opt(["a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"])`,
  ],
  ['format.labelValue().validate("abc")', 'none'],
  [
    'format.labelValue().validate("-a")',
    `opt(["a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"])`,
  ],
  ['format.labelValue().validate("123e4567-e89b-12d3-a456-426614174000")', 'none'],
  [
    'format.labelValue().validate("/path")',
    `opt(["a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"])`,
  ],
  ['format.uri().validate("abc")', 'opt(["parse \\"abc\\": invalid URI for request"])'],
  ['format.uri().validate("-a")', 'opt(["parse \\"-a\\": invalid URI for request"])'],
  [
    'format.uri().validate("123e4567-e89b-12d3-a456-426614174000")',
    'opt(["parse \\"123e4567-e89b-12d3-a456-426614174000\\": invalid URI for request"])',
  ],
  ['format.uri().validate("/path")', 'none'],
  ['format.uuid().validate("abc")', 'opt(["does not match the UUID format"])'],
  ['format.uuid().validate("-a")', 'opt(["does not match the UUID format"])'],
  ['format.uuid().validate("123e4567-e89b-12d3-a456-426614174000")', 'none'],
  ['format.uuid().validate("/path")', 'opt(["does not match the UUID format"])'],
  ['format.byte().validate("abc")', 'opt(["invalid base64"])'],
  ['format.byte().validate("-a")', 'opt(["invalid base64"])'],
  ['format.byte().validate("123e4567-e89b-12d3-a456-426614174000")', 'opt(["invalid base64"])'],
  ['format.byte().validate("/path")', 'opt(["invalid base64"])'],
  ['format.date().validate("abc")', 'opt(["invalid date"])'],
  ['format.date().validate("-a")', 'opt(["invalid date"])'],
  ['format.date().validate("123e4567-e89b-12d3-a456-426614174000")', 'opt(["invalid date"])'],
  ['format.date().validate("/path")', 'opt(["invalid date"])'],
  ['format.datetime().validate("abc")', 'opt(["invalid datetime"])'],
  ['format.datetime().validate("-a")', 'opt(["invalid datetime"])'],
  ['format.datetime().validate("123e4567-e89b-12d3-a456-426614174000")', 'opt(["invalid datetime"])'],
  ['format.datetime().validate("/path")', 'opt(["invalid datetime"])'],
  ['format.named("dns1123Label")', 'opt([object Object])'],
  ['!format.named("dns1123Subdomain").value().validate("abc").hasValue()', 'true'],
  ['format.named("qualifiedName").hasValue()', 'true'],
  ['format.named("dns1123SubdomainPrefix")', 'opt([object Object])'],
  ['!format.named("dns1035LabelPrefix").value().validate("abc").hasValue()', 'true'],
  ['format.named("uri").hasValue()', 'true'],
  ['format.named("byte")', 'opt([object Object])'],
  ['!format.named("date").value().validate("abc").hasValue()', 'false'],
  ['format.named("nosuch").hasValue()', 'false'],
  ['!format.dns1123Label().validate(self.whole).hasValue()', 'true'],
  ['format.named(self.s).hasValue() && !format.named(self.s).value().validate(self.whole).hasValue()', 'false'],
];

describe('formats in expressions', () => {
  for (const [expression, expected] of CASES)
    it(`${expression} is ${expected}`, () => {
      assert.equal(outcome(expression), expected);
    });
});
