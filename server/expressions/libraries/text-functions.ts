import { type Entry, since, until } from '#base/release/in-force.ts';
import { trimText } from '#base/text/trim-text.ts';
import { type Costs, countOfParts, method, noLonger, type Overload, partsOf, textWalk } from '../cel-function.ts';
import { INT, listOf, STRING } from '../cel-type.ts';
import { CelList, EvaluationError } from '../cel-value.ts';
import type { Budget } from '../expression.ts';
import { capped, estimatedItem, estimatedSize, type Operand, type Size, sumOf, walkOf } from '../sizes.ts';
import { estimateListWalk } from './list-functions.ts';

/** The characters of a text. Nearly all texts have no surrogate pairs, so their units are their characters. */
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

/** The number of characters before a position. */
function charactersBefore(text: string, unit: number): bigint {
  return BigInt(unit < 0 ? -1 : charactersOf(text.slice(0, unit)).length);
}

/** The position at which a search begins. It must be inside the text. */
function startOf(text: string, from: bigint): number {
  const { length } = charactersOf(text);
  if (from < 0n || from >= BigInt(length)) throw new EvaluationError(`index out of range: ${from}`);
  return part(text, 0, Number(from)).length;
}

function indexOf(text: string, what: string, from = 0n): bigint {
  if (what === '') return from;
  return charactersBefore(text, text.indexOf(what, startOf(text, from)));
}

function lastIndexOf(text: string, what: string, from?: bigint): bigint {
  const last = from ?? BigInt(charactersOf(text).length - (what === '' ? 0 : 1));
  if (what === '') return last;
  return charactersBefore(text, text.lastIndexOf(what, startOf(text, last)));
}

function substring(text: string, start: bigint, end?: bigint): string {
  const { length } = charactersOf(text);
  if (end !== undefined && start > end) {
    throw new EvaluationError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  return part(text, within(start, length), end === undefined ? length : within(end, length));
}

function charAt(text: string, index: bigint): string {
  const at = within(index, charactersOf(text).length);
  return part(text, at, at + 1);
}

function replace(text: string, what: string, by: string, most = -1n): string {
  const pieces = what === '' ? [...charactersOf(text)] : text.split(what);
  const places = what === '' ? pieces.length + 1 : pieces.length - 1;
  const count = Math.min(most < 0n ? Number.POSITIVE_INFINITY : Number(most), places);
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
  const items: string[] = [];
  for (const item of list) {
    if (typeof item !== 'string') throw new EvaluationError('no such overload: join');
    items.push(item);
  }
  return items.join(separator);
}

/** White space of Unicode. */
const WHITE =
  ' \t\n\v\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

/** The number of times that one text occurs in another. */
function occurrences(text: string, what: string): number {
  if (what === '') return text.length + 1;
  let count = 0;
  for (let at = text.indexOf(what); at >= 0; at = text.indexOf(what, at + what.length)) count++;
  return count;
}

/** The cost of pieces of a text. Pieces are created one by one, and the text between them must be written. */
function chargePieces(budget: Budget, text: string, what: string, by = ''): void {
  budget.chargeText(text.length);
  const count = occurrences(text, what);
  budget.charge(count);
  budget.chargeText(count * by.length);
}

function chargeJoin(budget: Budget, list: CelList, separator = ''): void {
  let length = 0;
  for (const item of list) {
    budget.charge(1);
    length += separator.length + (typeof item === 'string' ? item.length : 0);
  }
  budget.chargeText(length);
}

/** The estimated size of a joined text. */
function joinedSize(list?: Operand, separator?: Operand): Size {
  const count = estimatedSize(list!);
  const item = estimatedItem(list!);
  const items = item === undefined ? 0 : capped(count.most * estimatedSize(item).most);
  const between = separator === undefined ? 0 : estimatedSize(separator).most * Math.max(count.most - 1, 0);
  return sumOf({ least: 0, most: items }, { least: 0, most: capped(between) });
}

/** The size of a text after a replacement, by later estimates. */
function replacedSize(text?: Operand, what?: Operand, by?: Operand): Size {
  const [whole, old, fresh] = [text, what, by].map((each) => estimatedSize(each!)) as [Size, Size, Size];
  const made = (size: number, oldSize: number, freshSize: number, isKept: boolean) => {
    if (oldSize === 0) return capped((size + 1) * freshSize + size);
    return isKept ? size : capped(Math.ceil(size / oldSize) * freshSize);
  };
  return {
    least: made(whole.least, old.most, fresh.least, old.most <= fresh.least),
    most: made(whole.most, old.least, fresh.most, fresh.most <= old.least),
  };
}

const join: Costs = {
  estimate: (list, separator) => walkOf(joinedSize(list, separator)),
  charge: chargeJoin,
  answer: (list, separator) => ({ type: STRING, size: joinedSize(list, separator).most }),
};
const pieces: Costs = { estimate: textWalk(2).estimate, charge: chargePieces };
const walk = textWalk();
const shorter: Costs = { ...walk, answer: noLonger };
const search: Costs = { estimate: estimateListWalk, charge: walk.charge };

const lower = (text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
const upper = (text: string) => text.replace(/[a-z]+/g, (part) => part.toUpperCase());

/** Functions of texts that the language itself does not have. */
export const textFunctions: readonly Entry<Overload>[] = [
  method('charAt', [STRING, INT], STRING, charAt, { charge: walk.charge, answer: noLonger }),
  method('lowerAscii', [STRING], STRING, lower, shorter),
  method('upperAscii', [STRING], STRING, upper, shorter),
  method('trim', [STRING], STRING, (text: string) => trimText(text, WHITE), shorter),
  ...[
    [STRING, STRING],
    [STRING, STRING, INT],
  ].flatMap((types) => [
    method('indexOf', types, INT, indexOf, search),
    method('lastIndexOf', types, INT, lastIndexOf, search),
    until('1.26', method('split', types, listOf(STRING), split, { ...pieces, answer: partsOf })),
    since('1.26', method('split', types, listOf(STRING), split, { ...pieces, size: countOfParts })),
  ]),
  ...[
    [STRING, INT],
    [STRING, INT, INT],
  ].map((types) => method('substring', types, STRING, substring, shorter)),
  ...[
    [STRING, STRING, STRING],
    [STRING, STRING, STRING, INT],
  ].flatMap((types) => [
    until('1.26', method('replace', types, STRING, replace, pieces)),
    since('1.26', method('replace', types, STRING, replace, { ...pieces, size: replacedSize })),
  ]),
  ...[[listOf(STRING)], [listOf(STRING), STRING]].map((types) => method('join', types, STRING, joined, join)),
];
