import { JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { compareKeys } from './key-order.ts';
import { needsQuotes } from './scalars.ts';

/** The column after which a text is folded at the next space. */
const WIDTH = 80;
/** The longest key without a question mark before it. */
const MAX_SIMPLE_KEY = 128;
const STARTS_INDICATOR = /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?:[ \t\n]|$)|---|\.\.\.)/;
const HOLDS_INDICATOR = /:(?:[ \t\n]|$)|[ \t\n]#/;
const ESCAPES: { readonly [code: number]: string } = {
  0: '\\0',
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  27: '\\e',
  34: '\\"',
  92: '\\\\',
  133: '\\N',
  8232: '\\L',
  8233: '\\P',
};

/**
 * The YAML text of a JSON value in the form of the field's tools: keys in natural order, lists level with their key,
 * two blanks of indentation, long texts folded. Undefined fields are left out.
 */
export function toYaml(value: JsonValue | object): string {
  const writer = new Writer();
  writer.root(value as JsonValue);
  return writer.text();
}

class Writer {
  readonly #lines: string[] = [];
  /** The line being written. */
  #line = '';

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  root(value: JsonValue): void {
    if (isFilled(value)) this.#collection(value, 0);
    else {
      this.#scalar(value, 2, false);
      this.#end();
    }
  }

  #end(): void {
    this.#lines.push(this.#line);
    this.#line = '';
  }

  /** Writes from the present column on. This column is `indent`. */
  #collection(value: JsonValue[] | JsonObject, indent: number): void {
    if (Array.isArray(value)) {
      for (const item of value) {
        this.#indent(indent);
        this.#line += '-';
        this.#item(item ?? null, indent);
      }
      return;
    }
    for (const key of Object.keys(value).sort(compareKeys)) {
      const field = value[key];
      if (field !== undefined) this.#field(key, field, indent);
    }
  }

  #field(key: string, value: JsonValue, indent: number): void {
    this.#indent(indent);
    if (key.length > MAX_SIMPLE_KEY || key.includes('\n')) {
      this.#line += '? ';
      this.#scalar(key, indent + 2, true);
      this.#end();
      this.#indent(indent);
    } else {
      this.#scalar(key, indent, false);
    }
    this.#line += ':';
    if (!isFilled(value)) {
      this.#line += ' ';
      this.#scalar(value, indent + 2, true);
      this.#end();
      return;
    }
    this.#end();
    this.#collection(value, Array.isArray(value) ? indent : indent + 2);
  }

  #item(value: JsonValue, indent: number): void {
    this.#line += ' ';
    if (isFilled(value)) {
      this.#collection(value, indent + 2);
      return;
    }
    this.#scalar(value, indent + 2, true);
    this.#end();
  }

  #indent(indent: number): void {
    this.#line = this.#line.padEnd(indent);
  }

  #scalar(value: JsonValue, indent: number, folds: boolean): void {
    if (typeof value !== 'string') {
      this.#line += value instanceof JsonNumber ? value.text : JSON.stringify(value);
    } else if (value.includes('\n') && folds && fitsBlock(value)) this.#literal(value, indent);
    else if (needsQuotes(value) || value.includes('\n') || !isPrintable(value))
      this.#doubleQuoted(value, indent, folds);
    else if (isPlain(value)) this.#fold(value, indent, folds, 0);
    else {
      this.#line += "'";
      this.#fold(value.replaceAll("'", "''"), indent, folds, 1);
      this.#line += "'";
    }
  }

  /**
   * Words, broken at single blanks after the line's width. They are never broken at the first or last `margin`
   * characters.
   */
  #fold(text: string, indent: number, folds: boolean, margin: 0 | 1): void {
    let start = 0;
    if (folds) {
      for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) {
        if (this.#line.length + at - start <= WIDTH) continue;
        if (text[at - 1] === ' ' || text[at + 1] === ' ' || (margin === 1 && (at === 0 || at === text.length - 1)))
          continue;
        this.#line += text.slice(start, at);
        this.#end();
        this.#indent(indent);
        start = at + 1;
      }
    }
    this.#line += text.slice(start);
  }

  #doubleQuoted(text: string, indent: number, folds: boolean): void {
    this.#line += '"';
    const characters = [...text];
    characters.forEach((character, i) => {
      const inside = i > 0 && i < characters.length - 1 && characters[i - 1] !== ' ';
      if (folds && character === ' ' && inside && this.#line.length > WIDTH) {
        this.#end();
        this.#indent(indent);
        if (characters[i + 1] === ' ') this.#line += '\\';
        return;
      }
      this.#line += escaped(character);
    });
    this.#line += '"';
  }

  #literal(text: string, indent: number): void {
    const hint = text.startsWith(' ') || text.startsWith('\n') ? '2' : '';
    const chomping = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
    this.#line += `|${hint}${chomping}`;
    const lines = text.split('\n');
    if (text.endsWith('\n')) lines.pop();
    for (const line of lines) {
      this.#end();
      if (line === '') continue;
      this.#indent(indent);
      this.#line += line;
    }
  }
}

function isFilled(value: JsonValue): value is JsonValue[] | JsonObject {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return false;
  return Array.isArray(value) ? value.length > 0 : Object.values(value).some((field) => field !== undefined);
}

function isPlain(text: string): boolean {
  return !STARTS_INDICATOR.test(text) && !HOLDS_INDICATOR.test(text) && !text.startsWith(' ') && !text.endsWith(' ');
}

/** Whether a text of several lines can be written as a block. */
function fitsBlock(text: string): boolean {
  return !text.endsWith(' ') && !text.includes(' \n') && isPrintable(text);
}

function isPrintable(text: string): boolean {
  for (const character of text) if (escaped(character) !== character && !/["\\\n]/.test(character)) return false;
  return true;
}

/** A character in the form in which it is written between double quotes. */
function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const short = ESCAPES[code];
  if (short !== undefined) return short;
  if ((code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xd7ff) || code > 0xffff) return character;
  if (code >= 0xe000 && code <= 0xfffd && code !== 0xfeff) return character;
  return code <= 0xff ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, '0');
}
