import { trimText } from '../../base/trim-text.ts';
import { method, type Overload, STRING_FACTOR, same, walkText } from './cel-function.ts';
import { INT, listOf, STRING } from './cel-type.ts';
import { CelList, EvaluationError } from './cel-value.ts';

/** Texts are counted in characters; nearly all have no surrogate pairs, and are their own characters. */
function charactersOf(text: string): string | string[] {
  return /[\ud800-\udfff]/.test(text) ? [...text] : text;
}

function part(text: string, start: number, end?: number): string {
  const all = charactersOf(text);
  return typeof all === 'string' ? all.slice(start, end) : all.slice(start, end).join('');
}

function within(index: bigint, length: number): number {
  if (index < 0n || index > BigInt(length)) throw new EvaluationError(`index out of range: ${index}`);
  return Number(index);
}

/** The place of a character among the characters before it. */
function charactersBefore(text: string, unit: number): bigint {
  return BigInt(unit < 0 ? -1 : charactersOf(text.slice(0, unit)).length);
}

function indexOf(text: string, what: string, from = 0n): bigint {
  const start = within(from, charactersOf(text).length);
  const before = part(text, 0, start).length;
  return charactersBefore(text, text.indexOf(what, before));
}

function lastIndexOf(text: string, what: string, from?: bigint): bigint {
  const start = from === undefined ? text.length : part(text, 0, within(from, charactersOf(text).length)).length;
  return charactersBefore(text, text.lastIndexOf(what, start));
}

function substring(text: string, start: bigint, end?: bigint): string {
  const { length } = charactersOf(text);
  const [first, last] = [within(start, length), end === undefined ? length : within(end, length)];
  if (first > last) throw new EvaluationError(`invalid substring range. start: ${first}, end: ${last}`);
  return part(text, first, last);
}

function charAt(text: string, index: bigint): string {
  const at = within(index, charactersOf(text).length);
  return part(text, at, at + 1);
}

/** The longest text that an expression may make; more would be held before it is charged. */
const MAX_LENGTH = 10_000_000;

function replace(text: string, what: string, by: string, most = -1n): string {
  const limit = most < 0n ? Number.POSITIVE_INFINITY : Number(most);
  const pieces = what === '' ? [...charactersOf(text)] : text.split(what);
  const places = what === '' ? pieces.length + 1 : pieces.length - 1;
  const count = Math.min(limit, places);
  if (text.length + count * by.length > MAX_LENGTH) throw new EvaluationError('the text becomes too long');
  if (what === '') {
    const head = pieces.slice(0, count).map((piece) => by + piece);
    return head.join('') + pieces.slice(count).join('') + (count > pieces.length ? by : '');
  }
  const head = pieces.slice(0, count + 1).join(by);
  return [head, ...pieces.slice(count + 1)].join(what);
}

function split(text: string, separator: string, most = -1n): CelList {
  const all = separator === '' ? [...charactersOf(text)] : text.split(separator);
  if (most < 0n || all.length <= Number(most)) return new CelList(all);
  const count = Number(most);
  return new CelList(count === 0 ? [] : [...all.slice(0, count - 1), all.slice(count - 1).join(separator)]);
}

function joined(list: CelList, separator = ''): string {
  let length = 0;
  const items: string[] = [];
  for (let i = 0; i < list.length; i++) {
    const item = list.at(i);
    if (typeof item !== 'string') throw new EvaluationError('no such overload: join');
    length += item.length + separator.length;
    if (length > MAX_LENGTH) throw new EvaluationError('the text becomes too long');
    items.push(item);
  }
  return items.join(separator);
}

/** White space of Unicode. */
const WHITE =
  ' \t\n\v\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** Functions of texts beyond those of the language itself. */
export const textFunctions: readonly Overload[] = [
  method('charAt', [STRING, INT], STRING, charAt, { cost: walkText }),
  ...[
    [STRING, STRING],
    [STRING, STRING, INT],
  ].flatMap((types) => [
    method('indexOf', types, INT, indexOf, { cost: walkText }),
    method('lastIndexOf', types, INT, lastIndexOf, { cost: walkText }),
    method('split', types, listOf(STRING), split, { cost: walkText, size: (size = 1) => size }),
  ]),
  ...[
    [STRING, INT],
    [STRING, INT, INT],
  ].map((types) => method('substring', types, STRING, substring, { cost: walkText, size: same })),
  ...[
    [STRING, STRING, STRING],
    [STRING, STRING, STRING, INT],
  ].map((types) =>
    method('replace', types, STRING, replace, {
      cost: (size = 0, _what = 0, by = 0) => 1 + Math.ceil(size * STRING_FACTOR * Math.max(by, 1)),
      size: (size = 1, _what = 0, by = 0) => (size + 1) * Math.max(by, 1),
    }),
  ),
  ...[[listOf(STRING)], [listOf(STRING), STRING]].map((types) =>
    method('join', types, STRING, joined, { cost: (size = 0) => 1 + size, size: (size = 1) => size }),
  ),
  method('trim', [STRING], STRING, (text: string) => trimText(text, WHITE), { cost: walkText, size: same }),
];
