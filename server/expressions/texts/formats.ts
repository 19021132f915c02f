import { isIP, isIPv4, isIPv6 } from 'node:net';
import { trimText } from '#base/text/trim-text.ts';
import { dns1123Label, dns1123Subdomain } from '#schema/validation/names.ts';
import { urlProblem } from '#schema/validation/url-problem.ts';
import { timeToMilliseconds } from '#schema/values/time.ts';
import { wordedNanoseconds } from './worded-duration.ts';

type FormatCheck = (text: string) => boolean;

/** The largest length. A longer text does not match these formats, except formats of any length. */
const MAX_LENGTH = 4096;

function matching(pattern: RegExp): FormatCheck {
  return (text) => text.length <= MAX_LENGTH && pattern.test(text);
}

function parses(parse: (text: string) => unknown): FormatCheck {
  return (text) => {
    if (text.length > MAX_LENGTH) return false;
    try {
      parse(text);
      return true;
    } catch {
      return false;
    }
  };
}

const CLOCK = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/;

/** Matches a date and a time of day with its zone. Text after a second `t` is ignored. */
function isDateTime(text: string): boolean {
  if (text.length > MAX_LENGTH) return false;
  const [date = '', time = ''] = text.toLowerCase().split('t', 2);
  const [, hours = '', minutes = '', seconds = ''] = CLOCK.exec(time) ?? [];
  return isDate(date) && hours !== '' && hours <= '23' && minutes <= '59' && seconds <= '59';
}

function isDate(text: string): boolean {
  return /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) && parses(timeToMilliseconds)(`${text}T00:00:00Z`);
}

const isDuration: FormatCheck = (text) => wordedNanoseconds(text) !== undefined;

/** Matches leading zeros in the numbers of an address. */
const LEADING_ZEROS = /(?<![0-9a-fA-F])0+(?=[0-9])/g;

function isDotted(text: string): boolean {
  return text.length <= MAX_LENGTH && isIPv4(text.replace(LEADING_ZEROS, ''));
}

/** Matches an address with dots, also inside an address of the other family. */
function isIpv4(text: string): boolean {
  return isDotted(text) || (text.includes('.') && isIPv6(text) && !text.includes('%'));
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/', 3);
  const isShort = isDotted(address);
  if ((!isShort && isIP(address) !== 6) || more.length > 0 || !/^[0-9]{1,100}$/.test(bits)) return false;
  return Number(bits) <= (isShort ? 32 : 128) && !address.includes('%');
}

const MAC =
  /^(?:(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}|(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\2){6}[0-9a-f]{2}|(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\3){18}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}|(?:[0-9a-f]{4}\.){3}[0-9a-f]{4}|(?:[0-9a-f]{4}\.){9}[0-9a-f]{4})$/i;

/** Matches a name with at most one dash, as its second character, or dotted names with only letters in the last one. */
const NAME = /^[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?$/u;
const LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
const LAST_LABEL = /^[a-zA-Z\p{L}]{2,63}$/u;

function isHostname(text: string): boolean {
  if (text.length > 255 || Buffer.byteLength(text) > 255) return false;
  const labels = text.split('.');
  const last = labels.pop()!;
  const isName = labels.length === 0 ? NAME.test(last) : LAST_LABEL.test(last);
  return (
    isName &&
    [...labels, last].every((label) => Buffer.byteLength(label) <= 63) &&
    labels.every((label) => LABEL.test(label))
  );
}

const ATOMS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uffff-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uffff-]+)*$/;
const QUOTED = /^"(?:[^"\\\r\n]|\\.)+"$/;
/** Matches a name before an address, of words and quoted texts. */
const PHRASE = /^(?:[^<>()[\]:;@\\,"\r\n]|"(?:[^"\\\r\n]|\\.)*")*$/;

/**
 * Whether a text is an address by RFC 5322. It has a local part (quoted or of atoms) and a domain, or a name with the
 * address in brackets. At most one comment may be at the end.
 */
function isEmail(text: string): boolean {
  if (text.length > MAX_LENGTH) return false;
  const trimmed = trimText(text, ' \t');
  const whole = trimmed.endsWith(')')
    ? trimText(trimmed.slice(0, Math.max(trimmed.lastIndexOf('('), 0)), ' \t')
    : trimmed;
  if (whole.endsWith('>')) {
    const open = whole.lastIndexOf('<');
    return open >= 0 && PHRASE.test(whole.slice(0, open)) && isAddress(whole.slice(open + 1, -1));
  }
  return isAddress(whole);
}

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  return (ATOMS.test(local) || QUOTED.test(local)) && ATOMS.test(trimText(text.slice(at + 1), ' \t'));
}

/** Whether a text is a URL with a scheme, or an absolute path. */
function isUri(text: string): boolean {
  if (text === '*') return true;
  if (text === '' || text.length > 100_000 || urlProblem(text) !== undefined) return false;
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) || text.startsWith('/');
}

const UUID = (version: string) => matching(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}-?[0-9a-f]{12}$`, 'i'));

function isIsbn10(text: string): boolean {
  if (text.length > 100) return false;
  const digits = text.replace(/[\s-]/g, '');
  if (!/^[0-9]{9}[0-9X]$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, i) => total + (10 - i) * (digit === 'X' ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  if (text.length > 100) return false;
  const digits = text.replace(/[\s-]/g, '');
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return [...digits].reduce((total, digit, i) => total + (i % 2 === 0 ? 1 : 3) * Number(digit), 0) % 10 === 0;
}

/** The first digits and the lengths of card numbers. */
const CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9]{2})[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/;

function isCreditCard(text: string): boolean {
  if (text.length > 100) return false;
  const digits = text.replace(/[^0-9]/g, '');
  if (!CARD.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

const RGB_PART = '(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';

/** Formats by name, without dashes. */
const FORMATS: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', matching(/^[0-9a-fA-F]{24}$/)],
  ['uri', isUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', (text) => isIPv6(text) && !text.includes('%')],
  ['cidr', isCidr],
  ['mac', matching(MAC)],
  ['uuid', UUID('[0-9a-f]{4}-?[0-9a-f]{4}')],
  ['uuid3', UUID('3[0-9a-f]{3}-?[0-9a-f]{4}')],
  ['uuid4', UUID('4[0-9a-f]{3}-?[89ab][0-9a-f]{3}')],
  ['uuid5', UUID('5[0-9a-f]{3}-?[89ab][0-9a-f]{3}')],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', matching(/^\d{3}[- ]\d{2}[- ]\d{4}$/)],
  ['hexcolor', matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', matching(new RegExp(`^rgb\\(\\s*${RGB_PART}\\s*,\\s*${RGB_PART}\\s*,\\s*${RGB_PART}\\s*\\)$`))],
  ['byte', (text) => text !== '' && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
]);

/** The formats of names by the rules of the field. Each naming profile puts its prefix before them. */
const NAMES: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['short-name', (text) => dns1123Label(text).length === 0],
  ['long-name', (text) => dns1123Subdomain(text).length === 0],
]);

/**
 * A format in the spelling of schemas, if this server checks it. Otherwise empty, because the format has no effect.
 * @param namePrefix the prefix of formats of names; undefined if the release does not have these formats
 */
export function checkedFormat(format: string, namePrefix?: string): string {
  if (format === '' || FORMATS.has(format.replaceAll('-', ''))) return format;
  const isName =
    namePrefix !== undefined && format.startsWith(namePrefix) && NAMES.has(format.slice(namePrefix.length));
  return isName ? format : '';
}

/** Whether a text has a format. True for unknown formats. */
export function hasFormat(format: string, text: string): boolean {
  const check = FORMATS.get(format.replaceAll('-', '')) ?? NAMES.get(format.slice(format.indexOf('-') + 1));
  return check?.(text) ?? true;
}
