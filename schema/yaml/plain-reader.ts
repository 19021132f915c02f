import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { FlowReader, inOrder, MAX_KEY } from './flow-reader.ts';
import { ENDED } from './line-cursor.ts';
import {
  APOSTROPHE,
  BAR,
  COLON,
  GREATER,
  HASH,
  LINE_END,
  NO_START,
  OPEN_LIST,
  OPEN_MAP,
  QUOTE,
  SPACE,
  TAB,
} from './plain-characters.ts';
import { blockText, withoutSpaces } from './plain-texts.ts';

/**
 * Reads the first document of YAML in the style that most people use: maps and lists by indentation and in braces,
 * texts with and without quotes, blocks of text, comments. This costs about as much as JSON. A complete reader takes
 * fifty times as long. Lines end only with a line feed. The only control characters are the line feed and the tab. Keys
 * are sorted.
 *
 * @throws NotPlain for everything else (anchors, tags, complex keys, tabs between values, repeated keys, and all
 * mistakes)
 * @throws MalformedBodyError for too many values, or levels
 * @example readPlain('a:\n- b\n- 1\n') // => { a: ['b', 1] }
 */
export function readPlain(text: string): JsonValue {
  return new PlainReader(text).document();
}

/** Reads lists and maps by their indentation, and texts of several lines. */
class PlainReader extends FlowReader {
  document(): JsonValue {
    this.nextLine(true);
    if (this.column === ENDED) return null;
    const value = this.#block(this.column, ENDED);
    if (this.column !== ENDED) throw this.notPlain();
    return value;
  }

  /** A list, a map or a text that begins here, in column `column`. Its parent begins in column `parent`. */
  #block(column: number, parent: number): JsonValue {
    if (this.isDash()) return this.#list(column);
    const key = this.#key();
    return key === undefined ? this.#inLine(parent) : this.#map(column, key);
  }

  #list(column: number): JsonValue[] {
    this.deeper();
    const items: JsonValue[] = [];
    while (this.column === column && this.isDash()) {
      this.count();
      const dash = this.at++;
      const code = this.spaces();
      if (code === LINE_END || code === HASH || this.at >= this.text.length) {
        this.endLine();
        this.nextLine();
        items.push(this.column > column ? this.#block(this.column, column) : null);
      } else {
        this.column = column + this.at - dash;
        items.push(this.#block(this.column, column));
      }
    }
    if (this.column > column) throw this.notPlain();
    this.depth--;
    return items;
  }

  #map(column: number, first: string): JsonObject {
    this.deeper();
    const fields = new Map<string, JsonValue>();
    for (let key: string | undefined = first; ; ) {
      if (key === undefined || fields.has(key)) throw this.notPlain();
      this.count();
      fields.set(key, this.#member(column));
      if (this.column !== column) break;
      key = this.isDash() ? undefined : this.#key();
    }
    if (this.column > column) throw this.notPlain();
    this.depth--;
    return inOrder(fields);
  }

  /** The value after a colon. If it is a list, the list may start in the same column as the key. */
  #member(column: number): JsonValue {
    const code = this.spaces();
    if (code !== LINE_END && code !== HASH && this.at < this.text.length) return this.#inLine(column);
    this.endLine();
    this.nextLine();
    if (this.column > column) return this.#block(this.column, column);
    return this.column === column && this.isDash() ? this.#list(column) : null;
  }

  /** The key that begins here; undefined if the line has none. Moves to the position after the key's colon. */
  #key(): string | undefined {
    const start = this.at;
    const text = this.text;
    const mark = text.charCodeAt(start);
    if (mark === QUOTE || mark === APOSTROPHE) {
      const end = this.closing(mark);
      if (end - start > MAX_KEY || text.slice(start, end).includes('\n')) return undefined;
      this.at = end;
      if (this.spaces() === COLON && this.isBlank(this.at + 1)) {
        this.at++;
        return this.unquoted(start, end, ENDED);
      }
      this.at = start;
      return undefined;
    }
    if (NO_START.has(mark)) return undefined;
    for (let at = start; ; at++) {
      const code = text.charCodeAt(at);
      if (code === LINE_END || at >= text.length || (code === HASH && text.charCodeAt(at - 1) === SPACE))
        return undefined;
      if (code !== COLON || !this.isBlank(at + 1)) continue;
      this.at = at + 1;
      return this.plainKey(start, at);
    }
  }

  /** A value that begins in this line and is not a map or list by indentation. */
  #inLine(parent: number): JsonValue {
    const start = this.at;
    const mark = this.text.charCodeAt(start);
    let value: JsonValue;
    if (mark === QUOTE || mark === APOSTROPHE) {
      this.at = this.closing(mark);
      value = this.unquoted(start, this.at, parent);
    } else if (mark === OPEN_LIST) value = this.flowList(parent);
    else if (mark === OPEN_MAP) value = this.flowMap(parent);
    else if (mark === BAR || mark === GREATER) return this.#blockText(parent);
    else return this.#plainText(parent);
    this.endLine();
    this.nextLine();
    return value;
  }

  #plainText(parent: number): JsonValue {
    const first = this.text.charCodeAt(this.at);
    if (NO_START.has(first) || this.isDash()) throw this.notPlain();
    let whole = this.#plainLine();
    for (;;) {
      const commented = this.text.charCodeAt(this.at) === HASH;
      if (commented) this.at = this.lineEnd(this.at);
      this.nextLine();
      if (this.column <= parent) return this.plainValue(whole);
      if (commented || this.commented) throw this.notPlain();
      whole += this.passed === 1 ? ' ' : '\n'.repeat(this.passed - 1);
      whole += this.#plainLine();
    }
  }

  /** The part of a plain text in one line. Moves to the end of the line, or to its comment. */
  #plainLine(): string {
    const start = this.at;
    const text = this.text;
    let at = start;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === LINE_END || (code === HASH && at > start && text.charCodeAt(at - 1) === SPACE)) break;
      if (code === TAB || (code === COLON && this.isBlank(at + 1))) throw this.notPlain();
    }
    this.at = at;
    return withoutSpaces(text.slice(start, at));
  }

  #blockText(parent: number): string {
    if (parent < 0) throw this.notPlain();
    const folded = this.text.charCodeAt(this.at++) === GREATER;
    const chomp = this.text[this.at];
    const strips = chomp === '-';
    const keeps = chomp === '+';
    if (strips || keeps) this.at++;
    this.endLine();
    const block = blockText(this.text, this.at, { parent, folded, strips, keeps });
    if (block === undefined) throw this.notPlain();
    this.at = block.end;
    this.nextLine();
    return block.value;
  }
}
