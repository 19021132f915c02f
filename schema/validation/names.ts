/** Problems of a text, as details of an invalid value. None if the text is valid. */
export type TextCheck = (value: string) => string[];

/** Checks an object's name. With `prefix`, it is the start of a generated name, which may end in a dash. */
export type NameCheck = (name: string, prefix?: boolean) => string[];

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

/**
 * A message that describes the form of a text, with examples and the pattern.
 *
 * @example
 * patternMessage('must be a letter', '[a-z]', 'a', 'b')
 * // => "must be a letter (e.g. 'a',  or 'b', regex used for validation is '[a-z]')"
 */
export function patternMessage(text: string, pattern: string, ...examples: string[]): string {
  const list = examples.map((example) => `'${example}', `).join(' or ');
  return `${text} (${list === '' ? '' : `e.g. ${list}`}regex used for validation is '${pattern}')`;
}

/** The detail of the error about a text with too many characters. */
function maxLengthMessage(max: number): string {
  return `must be no more than ${max} characters`;
}

/**
 * Makes a check of the form of a text, and of its length if `max` is given. The whole text must match the pattern.
 *
 * @example textCheck('[a-z]+', 'must be letters', 2)('abc') // => ['must be no more than 2 characters']
 */
export function textCheck(pattern: string, message: string, max = Number.POSITIVE_INFINITY): TextCheck {
  const expression = new RegExp(`^(?:${pattern})$`);
  return (value) => {
    const problems: string[] = [];
    if (value.length > max) problems.push(maxLengthMessage(max));
    if (!expression.test(value)) problems.push(message);
    return problems;
  };
}

/** DNS label as in RFC 1123: `my-name`, `123-abc`, up to 63 characters. */
export const dns1123Label: TextCheck = textCheck(
  LABEL,
  patternMessage(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
    LABEL,
    'my-name',
    '123-abc',
  ),
  63,
);

/** DNS labels joined by dots, up to 253 characters. */
export const dns1123Subdomain: TextCheck = textCheck(
  SUBDOMAIN,
  patternMessage(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    SUBDOMAIN,
    'example.com',
  ),
  253,
);

const UNDERSCORED = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const UNDERSCORED_SUBDOMAIN = `${UNDERSCORED}(\\.${UNDERSCORED})*`;

/** DNS labels joined by dots. They may contain underscores, also at the beginning: `_sip._tcp.example.com`. */
export const dns1123SubdomainWithUnderscores: TextCheck = textCheck(
  UNDERSCORED_SUBDOMAIN,
  patternMessage(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
    UNDERSCORED_SUBDOMAIN,
    'example.com',
  ),
  253,
);

const DNS_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';

/** DNS label as in RFC 1035: starts with a letter. */
export const dns1035Label: TextCheck = textCheck(
  DNS_1035,
  patternMessage(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    DNS_1035,
    'my-name',
    'abc-123',
  ),
  63,
);

const WILDCARD = `\\*\\.${SUBDOMAIN}`;

/** `*.example.com`. */
export const wildcardSubdomain: TextCheck = textCheck(
  WILDCARD,
  patternMessage(
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    WILDCARD,
    '*.example.com',
  ),
  253,
);

const qualifiedMessage = patternMessage(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  QUALIFIED,
  'MyName',
  'my.name',
  '123-abc',
);
const qualifiedPattern = new RegExp(`^${QUALIFIED}$`);

/**
 * A name of up to 63 characters. A DNS subdomain and a slash may precede it: `example.com/MyName`.
 *
 * @example qualifiedName('example.com/role') // => []
 */
export function qualifiedName(value: string): string[] {
  const slash = value.indexOf('/');
  const name = value.slice(slash + 1);
  if (name.includes('/')) {
    const form = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a qualified name ${qualifiedMessage} ${form}`];
  }
  const result: string[] = [];
  if (slash === 0) {
    result.push('prefix part must be non-empty');
  } else if (slash > 0) {
    for (const problem of dns1123Subdomain(value.slice(0, slash))) result.push(`prefix part ${problem}`);
  }
  if (name === '') {
    result.push('name part must be non-empty');
  } else if (name.length > 63) {
    result.push(`name part ${maxLengthMessage(63)}`);
  }
  if (!qualifiedPattern.test(name)) result.push(`name part ${qualifiedMessage}`);
  return result;
}

const LABEL_VALUE = `(${QUALIFIED})?`;

/** The value of a label; may be empty. */
export const labelValue: TextCheck = textCheck(
  LABEL_VALUE,
  patternMessage(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    LABEL_VALUE,
    'MyValue',
    'my_value',
    '12345',
  ),
  63,
);

/**
 * The name of a network port: up to 15 lower case letters, digits and single dashes, with at least one letter.
 *
 * @example portName('http') // => []
 */
export function portName(value: string): string[] {
  const problems: string[] = [];
  if (value.length > 15) problems.push(maxLengthMessage(15));
  if (!/^[-a-z0-9]+$/.test(value)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(value)) problems.push('must contain at least one letter (a-z)');
  if (value.includes('--')) problems.push('must not contain consecutive hyphens');
  if (/^-|-$/.test(value)) problems.push('must not begin or end with a hyphen');
  return problems;
}

const ENV = '[-._a-zA-Z][-._a-zA-Z0-9]*';
const environmentPattern = textCheck(
  ENV,
  patternMessage(
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
    ENV,
    'my.env-name',
    'MY_ENV.NAME',
    'MyEnvName1',
  ),
);

/** The name of an environment variable. */
export function environmentVariable(value: string): string[] {
  return [...environmentPattern(value), ...relativeName(value)];
}

/** The name of an environment variable, if every name is allowed that a process can use. */
export const relaxedEnvironmentVariable: TextCheck = textCheck(
  '[ -<>-~]+',
  "a valid environment variable name must consist only of printable ASCII characters other than '='",
);

const CONFIG_KEY = '[-._a-zA-Z0-9]+';
const configKeyPattern = textCheck(
  CONFIG_KEY,
  patternMessage(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    CONFIG_KEY,
    'key.name',
    'KEY_NAME',
    'key-name',
  ),
  253,
);

/**
 * A key in the data of a config map or secret: also a file's name.
 *
 * @example configKey('settings.yaml') // => []
 */
export function configKey(value: string): string[] {
  return [...configKeyPattern(value), ...relativeName(value)];
}

/** A name that must not lead outside of a folder. */
function relativeName(value: string): string[] {
  if (value === '.' || value === '..') return [`must not be '${value}'`];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

const C_IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*';

/** A name as in the C language. */
export const cIdentifier: TextCheck = textCheck(
  C_IDENTIFIER,
  patternMessage(
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
    C_IDENTIFIER,
    'my_name',
    'MY_NAME',
    'MyName',
  ),
);

const HEADER = '[-A-Za-z0-9]+';

/** The name of an HTTP header. */
export const httpHeaderName: TextCheck = textCheck(
  HEADER,
  patternMessage("a valid HTTP header must consist of alphanumeric characters or '-'", HEADER, 'X-Header-Name'),
);

const PERCENT = '[0-9]+%';

/** `93%`. */
export const percentText: TextCheck = textCheck(
  PERCENT,
  patternMessage("a valid percent string must be a numeric string followed by an ending '%'", PERCENT, '1%', '93%'),
);

/**
 * A name that a path of the API can contain; roles and bindings allow such names.
 *
 * @example pathSegmentName('a/b') // => ["may not contain '/'"]
 */
export function pathSegmentName(name: string, prefix = false): string[] {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%']
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
}

/** Names of roles and bindings. For them, a prefix must already be a valid name. */
export const roleName: NameCheck = (name) => pathSegmentName(name);

/** Makes a check of names from a check of texts. A prefix may end in dashes. */
function nameCheck(check: TextCheck): NameCheck {
  return (name, prefix = false) => check(prefix && /.-$/.test(name) ? `${name.slice(0, -2)}a` : name);
}

/** Checks the names of most kinds: a name is a DNS subdomain. */
export const subdomainName: NameCheck = nameCheck(dns1123Subdomain);
/** Names of namespaces: a DNS label. */
export const labelName: NameCheck = nameCheck(dns1123Label);
/** Names of services: a DNS label that starts with a letter. */
export const serviceName: NameCheck = nameCheck(dns1035Label);
