import { JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import { setKey } from '#base/json/set-key.ts';
import { ENDED, LineCursor } from './line-cursor.ts';
import {
  APOSTROPHE,
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_MAP,
  COLON,
  COMMA,
  DASH,
  HASH,
  isFlowMark,
  LINE_END,
  NO_START,
  OPEN_LIST,
  OPEN_MAP,
  QUOTE,
  SPACE,
  TAB,
} from './plain-characters.ts';
import { foldedLines, unescaped, withoutSpaces } from './plain-texts.ts';
import { plainValue } from './scalars.ts';

/** The limit of the length of a key without a mark before it (YAML 1.1, 7.4.2). */
export const MAX_KEY = 1000;

/** Reads the parts that have the same form on any line: texts in quotes, and lists and maps in brackets and braces. */
export class FlowReader extends LineCursor {
  /** The number of open brackets and braces. */
  #open = 0;

  /** The position after the mark that closes the quotes which open here. */
  protected closing(mark: number): number {
    const text = this.text;
    for (let at = this.at + 1; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === mark) {
        if (mark === QUOTE || text.charCodeAt(at + 1) !== mark) return at + 1;
        at++;
      } else if (code === BACKSLASH && mark === QUOTE) at++;
    }
    throw this.notPlain();
  }

  /** The text in quotes. If it has several lines, the later ones start after column `parent`. */
  protected unquoted(start: number, end: number, parent: number): string {
    const isDouble = this.text.charCodeAt(start) === QUOTE;
    let raw: string | undefined = this.text.slice(start + 1, end - 1);
    if (raw.includes('\n')) raw = parent < 0 ? undefined : foldedLines(raw, parent);
    if (raw !== undefined) raw = isDouble ? unescaped(raw) : raw.replaceAll("''", "'");
    if (raw === undefined) throw this.notPlain();
    return raw;
  }

  protected plainKey(start: number, end: number): string {
    const raw = withoutSpaces(this.text.slice(start, end));
    if (raw.length > MAX_KEY || raw === '<<' || raw.includes('\t')) throw this.notPlain();
    const value = this.plainValue(raw);
    if (typeof value === 'string') return value;
    if (typeof value === 'boolean' || typeof value === 'number' || value instanceof JsonNumber) return String(value);
    throw this.notPlain();
  }

  protected plainValue(raw: string): JsonValue {
    try {
      return plainValue(raw);
    } catch (error) {
      if (error instanceof MalformedBodyError) throw this.notPlain();
      throw error;
    }
  }

  protected flowList(parent: number): JsonValue[] {
    this.deeper();
    this.#open++;
    this.at++;
    const items: JsonValue[] = [];
    for (;;) {
      if (this.#gap(parent) === CLOSE_LIST) break;
      this.count();
      items.push(this.#flowValue(parent));
      const next = this.#gap(parent);
      if (next === CLOSE_LIST) break;
      if (next !== COMMA) throw this.notPlain();
      this.at++;
    }
    this.at++;
    this.#open--;
    this.depth--;
    return items;
  }

  protected flowMap(parent: number): JsonObject {
    this.deeper();
    this.#open++;
    this.at++;
    const fields = new Map<string, JsonValue>();
    for (;;) {
      if (this.#gap(parent) === CLOSE_MAP) break;
      this.count();
      const key = this.#flowKey();
      if (this.spaces() !== COLON || fields.has(key)) throw this.notPlain();
      this.at++;
      const mark = this.#gap(parent);
      fields.set(key, mark === COMMA || mark === CLOSE_MAP ? null : this.#flowValue(parent));
      const next = this.#gap(parent);
      if (next === CLOSE_MAP) break;
      if (next !== COMMA) throw this.notPlain();
      this.at++;
    }
    this.at++;
    this.#open--;
    this.depth--;
    return inOrder(fields);
  }

  #flowKey(): string {
    const start = this.at;
    const mark = this.text.charCodeAt(start);
    if (mark === QUOTE || mark === APOSTROPHE) {
      this.at = this.closing(mark);
      if (this.at - start > MAX_KEY) throw this.notPlain();
      return this.unquoted(start, this.at, ENDED);
    }
    const end = this.#flowPlain();
    return this.plainKey(start, end);
  }

  #flowValue(parent: number): JsonValue {
    const start = this.at;
    const mark = this.text.charCodeAt(start);
    if (mark === OPEN_LIST) return this.flowList(parent);
    if (mark === OPEN_MAP) return this.flowMap(parent);
    if (mark === QUOTE || mark === APOSTROPHE) {
      this.at = this.closing(mark);
      return this.unquoted(start, this.at, parent);
    }
    return this.plainValue(withoutSpaces(this.text.slice(start, this.#flowPlain())));
  }

  /**
   * Moves to the end of a plain text in braces and returns this position. The text ends at the end of its line or
   * earlier.
   */
  #flowPlain(): number {
    const start = this.at;
    const text = this.text;
    const first = text.charCodeAt(start);
    if (NO_START.has(first) || (first === DASH && (this.isBlank(start + 1) || isFlowMark(text.charCodeAt(start + 1)))))
      throw this.notPlain();
    let at = start;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === LINE_END || isFlowMark(code)) break;
      if (code === COLON && (this.isBlank(at + 1) || isFlowMark(text.charCodeAt(at + 1)))) break;
      if (code === TAB || (code === HASH && text.charCodeAt(at - 1) === SPACE)) throw this.notPlain();
    }
    if (at === start) throw this.notPlain();
    this.at = at;
    return at;
  }

  /** Skips blanks and line ends in braces. Returns the next mark. Lines must start after column `parent`. */
  #gap(parent: number): number {
    let code = this.spaces();
    while (code === LINE_END) {
      const start = ++this.at;
      code = this.spaces();
      if (code === LINE_END) continue;
      const column = this.at - start;
      const closes = (code === CLOSE_LIST || code === CLOSE_MAP) && parent >= 0 && this.#open === 1;
      if (closes ? column < parent : column <= parent || (column === 0 && this.isMarker(start))) throw this.notPlain();
    }
    if (code === HASH || code === TAB || this.at >= this.text.length) throw this.notPlain();
    return code;
  }
}

/** The fields as an object, sorted by their names. */
export function inOrder(fields: ReadonlyMap<string, JsonValue>): JsonObject {
  const object: JsonObject = {};
  for (const name of [...fields.keys()].sort()) setKey(object, name, fields.get(name) ?? null);
  return object;
}
