import { JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import { setKey } from '#base/json/set-key.ts';
import { blockText, foldedLines, unescaped, withoutSpaces } from './plain-texts.ts';
import { plainValue } from './scalars.ts';

/** Values of a document, keys not counted: files of tens of thousands of lines have as many. */
const MAX_VALUES = 100_000;
/** Each level takes some frames of the stack. */
export const MAX_DEPTH = 250;
/** Keys that stand before their colon without a mark are shorter (YAML 1.1, 7.4.2). */
const MAX_KEY = 1000;

const TAB = 0x09;
const LINE_END = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const HASH = 0x23;
const APOSTROPHE = 0x27;
const COMMA = 0x2c;
const DASH = 0x2d;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_MAP = 0x7b;
const BAR = 0x7c;
const CLOSE_MAP = 0x7d;
const GREATER = 0x3e;

/** What begins no plain text, but for a dash before something else than a blank. */
const NO_START = new Set([...'?:,[]{}#&*!|>\'"%@`'].map((mark) => mark.charCodeAt(0)));

/** Where no document goes on. */
const ENDED: number = -1;

/** Thrown where a document has something that this reader leaves to a complete one. */
export class NotPlain extends Error {
  /** The line, counted from 1. */
  readonly line: number;

  constructor(line: number) {
    super('not plain YAML');
    this.line = line;
  }
}

/**
 * Reads the first document of YAML as most people write it: maps and lists by indentation and in braces, texts
 * with and without quotes, blocks of text, comments. It costs about what JSON costs, where a complete reader takes
 * fifty times as much. Lines end with a line feed alone, and no character but that and the tab is a control. Keys are
 * sorted.
 *
 * @throws NotPlain for everything else (anchors, tags, complex keys, tabs between values, keys given twice, and all
 * mistakes)
 * @throws MalformedBodyError for too many values, or levels
 * @example readPlain('a:\n- b\n- 1\n') // => { a: ['b', 1] }
 */
export function readPlain(text: string): JsonValue {
  return new PlainReader(text).document();
}

class PlainReader {
  readonly #text: string;
  #at = -1;
  /** Where the line's first value stands; {@link ENDED} behind the last one. */
  #column: number = 0;
  /** How many line ends were passed to get to the line, and whether comments were. */
  #passed = 0;
  #commented = false;
  #values = 0;
  #depth = 0;
  /** How many brackets and braces are open. */
  #open = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonValue {
    this.#nextLine(true);
    if (this.#column === ENDED) return null;
    const value = this.#block(this.#column, ENDED);
    if (this.#column !== ENDED) throw this.#notPlain();
    return value;
  }

  #notPlain(): NotPlain {
    let line = 1;
    const text = this.#text;
    for (let at = text.indexOf('\n'); at >= 0 && at < this.#at; at = text.indexOf('\n', at + 1)) line++;
    return new NotPlain(line);
  }

  #count(): void {
    if (++this.#values > MAX_VALUES) throw new MalformedBodyError('yaml: too many values for YAML: send them as JSON');
  }

  #deeper(): void {
    if (++this.#depth > MAX_DEPTH) throw new MalformedBodyError('yaml: exceeded max depth');
  }

  /** From the end of a line to the first value of the next line that has one. */
  #nextLine(first = false): void {
    const text = this.#text;
    let at = this.#at;
    this.#passed = 0;
    this.#commented = false;
    for (;;) {
      if (at >= text.length) break;
      const start = ++at;
      this.#passed++;
      let code = text.charCodeAt(at);
      while (code === SPACE) code = text.charCodeAt(++at);
      if (code === LINE_END) continue;
      if (code === HASH) {
        this.#commented = true;
        at = this.#lineEnd(at);
        continue;
      }
      if (at >= text.length) break;
      this.#at = at;
      this.#column = at - start;
      if (code === TAB) throw this.#notPlain();
      if (this.#column === 0 && (code === DASH || code === 0x2e) && this.#isMarker(at)) {
        if (code !== DASH) throw this.#notPlain();
        if (!first) break;
        this.#at += 3;
        this.#endLine();
        this.#nextLine();
        if (this.#column === ENDED) throw this.#notPlain();
      }
      return;
    }
    this.#at = at;
    this.#column = ENDED;
  }

  /** Whether the line is the mark of a document's begin or end. */
  #isMarker(at: number): boolean {
    const mark = this.#text.slice(at, at + 3);
    if (mark !== '---' && mark !== '...') return false;
    const next = this.#text.charCodeAt(at + 3);
    return Number.isNaN(next) || next <= SPACE;
  }

  #lineEnd(at: number): number {
    const end = this.#text.indexOf('\n', at);
    return end < 0 ? this.#text.length : end;
  }

  /** Whether there is a space, or the end of a line or of the text. Tabs are none that this reader takes. */
  #isBlank(at: number): boolean {
    const code = this.#text.charCodeAt(at);
    if (code === TAB) throw this.#notPlain();
    return code === SPACE || code === LINE_END || at >= this.#text.length;
  }

  #spaces(): number {
    while (this.#text.charCodeAt(this.#at) === SPACE) this.#at++;
    return this.#text.charCodeAt(this.#at);
  }

  /** Moves to the end of a line on which only a comment may be left. */
  #endLine(): void {
    const before = this.#at;
    const code = this.#spaces();
    if (code === LINE_END || this.#at >= this.#text.length) return;
    if (code !== HASH || this.#at === before) throw this.#notPlain();
    this.#at = this.#lineEnd(this.#at);
  }

  #isDash(): boolean {
    return this.#text.charCodeAt(this.#at) === DASH && this.#isBlank(this.#at + 1);
  }

  /** A list, a map or a text whose first character is here, in a column; what holds it stands in column `parent`. */
  #block(column: number, parent: number): JsonValue {
    if (this.#isDash()) return this.#list(column);
    const key = this.#key();
    return key === undefined ? this.#inLine(parent) : this.#map(column, key);
  }

  #list(column: number): JsonValue[] {
    this.#deeper();
    const items: JsonValue[] = [];
    while (this.#column === column && this.#isDash()) {
      this.#count();
      const dash = this.#at++;
      const code = this.#spaces();
      if (code === LINE_END || code === HASH || this.#at >= this.#text.length) {
        this.#endLine();
        this.#nextLine();
        items.push(this.#column > column ? this.#block(this.#column, column) : null);
      } else {
        this.#column = column + this.#at - dash;
        items.push(this.#block(this.#column, column));
      }
    }
    if (this.#column > column) throw this.#notPlain();
    this.#depth--;
    return items;
  }

  #map(column: number, first: string): JsonObject {
    this.#deeper();
    const fields = new Map<string, JsonValue>();
    for (let key: string | undefined = first; ; ) {
      if (key === undefined || fields.has(key)) throw this.#notPlain();
      this.#count();
      fields.set(key, this.#member(column));
      if (this.#column !== column) break;
      key = this.#isDash() ? undefined : this.#key();
    }
    if (this.#column > column) throw this.#notPlain();
    this.#depth--;
    return inOrder(fields);
  }

  /** The value behind a colon. A list in it may stand in the same column as the key. */
  #member(column: number): JsonValue {
    const code = this.#spaces();
    if (code !== LINE_END && code !== HASH && this.#at < this.#text.length) return this.#inLine(column);
    this.#endLine();
    this.#nextLine();
    if (this.#column > column) return this.#block(this.#column, column);
    return this.#column === column && this.#isDash() ? this.#list(column) : null;
  }

  /** The key that is here, and moves behind its colon; undefined where the line has none. */
  #key(): string | undefined {
    const start = this.#at;
    const text = this.#text;
    const mark = text.charCodeAt(start);
    if (mark === QUOTE || mark === APOSTROPHE) {
      const end = this.#closing(mark);
      if (end - start > MAX_KEY || text.slice(start, end).includes('\n')) return undefined;
      this.#at = end;
      if (this.#spaces() === COLON && this.#isBlank(this.#at + 1)) {
        this.#at++;
        return this.#unquoted(start, end, ENDED);
      }
      this.#at = start;
      return undefined;
    }
    if (NO_START.has(mark)) return undefined;
    for (let at = start; ; at++) {
      const code = text.charCodeAt(at);
      if (code === LINE_END || at >= text.length || (code === HASH && text.charCodeAt(at - 1) === SPACE))
        return undefined;
      if (code !== COLON || !this.#isBlank(at + 1)) continue;
      this.#at = at + 1;
      return this.#plainKey(start, at);
    }
  }

  #plainKey(start: number, end: number): string {
    const raw = withoutSpaces(this.#text.slice(start, end));
    if (raw.length > MAX_KEY || raw === '<<' || raw.includes('\t')) throw this.#notPlain();
    const value = this.#plainValue(raw);
    if (typeof value === 'string') return value;
    if (typeof value === 'boolean' || typeof value === 'number' || value instanceof JsonNumber) return String(value);
    throw this.#notPlain();
  }

  #plainValue(raw: string): JsonValue {
    try {
      return plainValue(raw);
    } catch (error) {
      if (error instanceof MalformedBodyError) throw this.#notPlain();
      throw error;
    }
  }

  /** A value that begins in the line and is no map or list by indentation. */
  #inLine(parent: number): JsonValue {
    const start = this.#at;
    const mark = this.#text.charCodeAt(start);
    let value: JsonValue;
    if (mark === QUOTE || mark === APOSTROPHE) {
      this.#at = this.#closing(mark);
      value = this.#unquoted(start, this.#at, parent);
    } else if (mark === OPEN_LIST) value = this.#flowList(parent);
    else if (mark === OPEN_MAP) value = this.#flowMap(parent);
    else if (mark === BAR || mark === GREATER) return this.#blockText(parent);
    else return this.#plainText(parent);
    this.#endLine();
    this.#nextLine();
    return value;
  }

  /** Behind the mark that closes the quotes which open here. */
  #closing(mark: number): number {
    const text = this.#text;
    for (let at = this.#at + 1; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === mark) {
        if (mark === QUOTE || text.charCodeAt(at + 1) !== mark) return at + 1;
        at++;
      } else if (code === BACKSLASH && mark === QUOTE) at++;
    }
    throw this.#notPlain();
  }

  /** What quotes hold; of several lines the later ones stand behind column `parent`. */
  #unquoted(start: number, end: number, parent: number): string {
    const isDouble = this.#text.charCodeAt(start) === QUOTE;
    let raw: string | undefined = this.#text.slice(start + 1, end - 1);
    if (raw.includes('\n')) raw = parent < 0 ? undefined : foldedLines(raw, parent);
    if (raw !== undefined) raw = isDouble ? unescaped(raw) : raw.replaceAll("''", "'");
    if (raw === undefined) throw this.#notPlain();
    return raw;
  }

  #plainText(parent: number): JsonValue {
    const first = this.#text.charCodeAt(this.#at);
    if (NO_START.has(first) || this.#isDash()) throw this.#notPlain();
    let whole = this.#plainLine();
    for (;;) {
      const commented = this.#text.charCodeAt(this.#at) === HASH;
      if (commented) this.#at = this.#lineEnd(this.#at);
      this.#nextLine();
      if (this.#column <= parent) return this.#plainValue(whole);
      if (commented || this.#commented) throw this.#notPlain();
      whole += this.#passed === 1 ? ' ' : '\n'.repeat(this.#passed - 1);
      whole += this.#plainLine();
    }
  }

  /** What a line adds to a plain text; moves to the line's end, or to its comment. */
  #plainLine(): string {
    const start = this.#at;
    const text = this.#text;
    let at = start;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === LINE_END || (code === HASH && at > start && text.charCodeAt(at - 1) === SPACE)) break;
      if (code === TAB || (code === COLON && this.#isBlank(at + 1))) throw this.#notPlain();
    }
    this.#at = at;
    return withoutSpaces(text.slice(start, at));
  }

  #blockText(parent: number): string {
    if (parent < 0) throw this.#notPlain();
    const folded = this.#text.charCodeAt(this.#at++) === GREATER;
    const chomp = this.#text[this.#at];
    const strips = chomp === '-';
    const keeps = chomp === '+';
    if (strips || keeps) this.#at++;
    this.#endLine();
    const block = blockText(this.#text, this.#at, { parent, folded, strips, keeps });
    if (block === undefined) throw this.#notPlain();
    this.#at = block.end;
    this.#nextLine();
    return block.value;
  }

  #flowList(parent: number): JsonValue[] {
    this.#deeper();
    this.#open++;
    this.#at++;
    const items: JsonValue[] = [];
    for (;;) {
      if (this.#gap(parent) === CLOSE_LIST) break;
      this.#count();
      items.push(this.#flowValue(parent));
      const next = this.#gap(parent);
      if (next === CLOSE_LIST) break;
      if (next !== COMMA) throw this.#notPlain();
      this.#at++;
    }
    this.#at++;
    this.#open--;
    this.#depth--;
    return items;
  }

  #flowMap(parent: number): JsonObject {
    this.#deeper();
    this.#open++;
    this.#at++;
    const fields = new Map<string, JsonValue>();
    for (;;) {
      if (this.#gap(parent) === CLOSE_MAP) break;
      this.#count();
      const key = this.#flowKey();
      if (this.#spaces() !== COLON || fields.has(key)) throw this.#notPlain();
      this.#at++;
      const mark = this.#gap(parent);
      fields.set(key, mark === COMMA || mark === CLOSE_MAP ? null : this.#flowValue(parent));
      const next = this.#gap(parent);
      if (next === CLOSE_MAP) break;
      if (next !== COMMA) throw this.#notPlain();
      this.#at++;
    }
    this.#at++;
    this.#open--;
    this.#depth--;
    return inOrder(fields);
  }

  #flowKey(): string {
    const start = this.#at;
    const mark = this.#text.charCodeAt(start);
    if (mark === QUOTE || mark === APOSTROPHE) {
      this.#at = this.#closing(mark);
      if (this.#at - start > MAX_KEY) throw this.#notPlain();
      return this.#unquoted(start, this.#at, ENDED);
    }
    const end = this.#flowPlain();
    return this.#plainKey(start, end);
  }

  #flowValue(parent: number): JsonValue {
    const start = this.#at;
    const mark = this.#text.charCodeAt(start);
    if (mark === OPEN_LIST) return this.#flowList(parent);
    if (mark === OPEN_MAP) return this.#flowMap(parent);
    if (mark === QUOTE || mark === APOSTROPHE) {
      this.#at = this.#closing(mark);
      return this.#unquoted(start, this.#at, parent);
    }
    return this.#plainValue(withoutSpaces(this.#text.slice(start, this.#flowPlain())));
  }

  /** Moves behind a plain text in braces, which ends with its line, and tells where that is. */
  #flowPlain(): number {
    const start = this.#at;
    const text = this.#text;
    const first = text.charCodeAt(start);
    if (NO_START.has(first) || (first === DASH && (this.#isBlank(start + 1) || isFlowMark(text.charCodeAt(start + 1)))))
      throw this.#notPlain();
    let at = start;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === LINE_END || isFlowMark(code)) break;
      if (code === COLON && (this.#isBlank(at + 1) || isFlowMark(text.charCodeAt(at + 1)))) break;
      if (code === TAB || (code === HASH && text.charCodeAt(at - 1) === SPACE)) throw this.#notPlain();
    }
    if (at === start) throw this.#notPlain();
    this.#at = at;
    return at;
  }

  /** Passes blanks and line ends in braces; the mark behind them. Lines stand behind column `parent`. */
  #gap(parent: number): number {
    let code = this.#spaces();
    while (code === LINE_END) {
      const start = ++this.#at;
      code = this.#spaces();
      if (code === LINE_END) continue;
      const column = this.#at - start;
      const closes = (code === CLOSE_LIST || code === CLOSE_MAP) && parent >= 0 && this.#open === 1;
      if (closes ? column < parent : column <= parent || (column === 0 && this.#isMarker(start)))
        throw this.#notPlain();
    }
    if (code === HASH || code === TAB || this.#at >= this.#text.length) throw this.#notPlain();
    return code;
  }
}

function isFlowMark(code: number): boolean {
  return code === COMMA || code === OPEN_LIST || code === CLOSE_LIST || code === OPEN_MAP || code === CLOSE_MAP;
}

function inOrder(fields: ReadonlyMap<string, JsonValue>): JsonObject {
  const object: JsonObject = {};
  for (const name of [...fields.keys()].sort()) setKey(object, name, fields.get(name) ?? null);
  return object;
}
