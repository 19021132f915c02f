import { isIP, isIPv4, isIPv6 } from 'node:net';
import { timeToMilliseconds } from '../../schema/values/time.ts';
import { urlProblem } from '../../validation/url-problem.ts';
import { wordedNanoseconds } from './worded-duration.ts';

type FormatCheck = (text: string) => boolean;

/** Longer texts are in none of these formats but those that take any length. */
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

const DATE_TIME =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}[tT][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[zZ]|[+-][0-9]{2}:[0-9]{2})?$/;

function isDateTime(text: string): boolean {
  if (text.length > MAX_LENGTH || !DATE_TIME.test(text)) return false;
  const upper = text.toUpperCase();
  return parses(timeToMilliseconds)(/(?:Z|[+-][0-9]{2}:[0-9]{2})$/.test(upper) ? upper : `${upper}Z`);
}

function isDate(text: string): boolean {
  return /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) && parses(timeToMilliseconds)(`${text}T00:00:00Z`);
}

const isDuration: FormatCheck = (text) => wordedNanoseconds(text) !== undefined;

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/', 3);
  const family = isIP(address);
  if (family === 0 || more.length > 0 || !/^[0-9]{1,3}$/.test(bits)) return false;
  return Number(bits) <= (family === 4 ? 32 : 128) && !address.includes('%');
}

const MAC =
  /^(?:(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}|(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\2){6}[0-9a-f]{2}|(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\3){18}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}|(?:[0-9a-f]{4}\.){3}[0-9a-f]{4}|(?:[0-9a-f]{4}\.){9}[0-9a-f]{4})$/i;

const HOSTNAME =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)(?:\.(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?))*\.?$/;

function isHostname(text: string): boolean {
  return text.length <= 255 && HOSTNAME.test(text);
}

/** RFC 5322, without comments: a local part, quoted or of atoms, and a domain; or a name with the address in brackets. */
function isEmail(text: string): boolean {
  if (text.length > MAX_LENGTH) return false;
  const address = /^[^<>]*<([^<>]+)>$/.exec(text.trim())?.[1] ?? text;
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  const domain = address.slice(at + 1);
  const isAtoms = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uffff-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uffff-]+)*$/;
  const isQuoted = /^"(?:[^"\\\r\n]|\\.)*"$/;
  return at > 0 && (isAtoms.test(local) || isQuoted.test(local)) && isAtoms.test(domain);
}

/** A URL with a scheme, or an absolute path. */
function isUri(text: string): boolean {
  if (text === '' || text.length > 100_000 || urlProblem(text) !== undefined) return false;
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) || text.startsWith('/');
}

const UUID = (version: string) => matching(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}-?[0-9a-f]{12}$`, 'i'));

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (text.length > 100 || !/^[0-9]{9}[0-9X]$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, i) => total + (10 - i) * (digit === 'X' ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (text.length > 100 || !/^[0-9]{13}$/.test(digits)) return false;
  return [...digits].reduce((total, digit, i) => total + (i % 2 === 0 ? 1 : 3) * Number(digit), 0) % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]/g, '');
  if (text.length > 100 || !/^[0-9]{13,19}$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

const RGB_PART = '(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';

/** Formats by their names without dashes. */
const FORMATS: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', matching(/^[0-9a-fA-F]{24}$/)],
  ['uri', isUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIPv4],
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
  ['ssn', matching(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', matching(new RegExp(`^rgb\\(\\s*${RGB_PART}\\s*,\\s*${RGB_PART}\\s*,\\s*${RGB_PART}\\s*\\)$`))],
  ['byte', (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
]);

/** A format as the schema spells it when it is one that is checked; empty otherwise, for then it says nothing. */
export function checkedFormat(format: string): string {
  return FORMATS.has(format.replaceAll('-', '')) ? format : '';
}

/** Whether a text is in a format; true for formats that are not known. */
export function hasFormat(format: string, text: string): boolean {
  return FORMATS.get(format.replaceAll('-', ''))?.(text) ?? true;
}
