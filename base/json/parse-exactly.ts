import { JsonNumber, type JsonObject, type JsonValue } from './json-value.ts';
import { MalformedBodyError } from './malformed-body-error.ts';
import { quoteText } from './quote-text.ts';
import type { Repeats } from './repeats.ts';
import { setKey } from './set-key.ts';

/** The largest nesting depth of lists and objects in a body. */
export const MAX_DEPTH = 1000;
/** The largest number of complaints in a message. More would not help a reader. */
const MAX_DUPLICATES = 100;

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const SURROGATE = /[\ud800-\udfff]/;
const HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const ESCAPES: { readonly [letter: string]: string } = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Parses JSON slowly but exactly: finds duplicate keys with their paths, and keeps the spelling of numbers. Errors name
 * the mistake and its place in the words that clients know. Halves of surrogate pairs become the replacement character.
 *
 * @throws MalformedBodyError.
 */
export function parseExactly(text: string): { value: JsonValue; duplicates: string[]; repeats?: Repeats } {
  const parser = new Parser(text);
  const value = parser.document();
  const duplicates = [...parser.duplicates];
  return parser.repeats.size === 0 ? { value, duplicates } : { value, duplicates, repeats: parser.repeats };
}

/** Several values in one text. */
export interface JsonStream {
  /** Each value, with its text. */
  readonly values: readonly { readonly value: JsonValue; readonly text: string }[];
  /** The error after the values. There is no `offset` if the text ends too early. */
  readonly mistake?: { readonly message: string; readonly offset?: number };
}

/** Parses the values of a text, up to the first mistake. If a key is repeated, its last value is used. */
export function parseJsonStream(text: string): JsonStream {
  const parser = new Parser(text);
  const values: { value: JsonValue; text: string }[] = [];
  try {
    for (;;) {
      const next = parser.next();
      if (next === undefined) return { values };
      values.push(next);
    }
  } catch (error) {
    if (!(error instanceof MalformedBodyError)) throw error;
    const { message } = error;
    const offset = parser.bytesRead();
    return { values, mistake: offset === undefined ? { message } : { message, offset } };
  }
}

class Parser {
  readonly duplicates = new Set<string>();
  readonly repeats = new Map<JsonObject, [key: string, value: JsonValue][]>();
  readonly #text: string;
  #at = 0;
  #depth = 0;
  /** The path of the value that is being parsed. It consists of keys and indexes: `spec`, `containers`, 0. */
  readonly #path: (string | number)[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** The next value and its text; undefined at the end. */
  next(): { value: JsonValue; text: string } | undefined {
    this.#blanks();
    const start = this.#at;
    if (start === this.#text.length) return undefined;
    const value = this.#value('looking for beginning of value');
    return { value, text: this.#text.slice(start, this.#at) };
  }

  /** The number of bytes up to the current character of the parser; undefined at the end. */
  bytesRead(): number | undefined {
    return this.#at < this.#text.length ? Buffer.byteLength(this.#text.slice(0, this.#at)) + 1 : undefined;
  }

  document(): JsonValue {
    const value = this.#value('looking for beginning of value');
    this.#blanks();
    if (this.#at < this.#text.length) throw this.#unexpected('after top-level value');
    return value;
  }

  #value(context: string): JsonValue {
    this.#blanks();
    const start = this.#text[this.#at];
    switch (start) {
      case '{':
        return this.#object();
      case '[':
        return this.#list();
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        if (start === '-' || (start !== undefined && start >= '0' && start <= '9')) return this.#number();
        throw this.#unexpected(context);
    }
  }

  #deeper(): void {
    if (++this.#depth > MAX_DEPTH) throw new MalformedBodyError('exceeded max depth');
    this.#at++;
  }

  #object(): JsonObject {
    this.#deeper();
    const object: JsonObject = {};
    let members: [key: string, value: JsonValue][] | undefined;
    let repeated: Set<string> | undefined;
    this.#blanks();
    if (this.#text[this.#at] === '}') {
      this.#at++;
      this.#depth--;
      return object;
    }
    for (;;) {
      this.#blanks();
      if (this.#text[this.#at] !== '"') throw this.#unexpected('looking for beginning of object key string');
      const key = this.#string();
      this.#blanks();
      if (this.#text[this.#at] !== ':') throw this.#unexpected('after object key');
      this.#at++;
      this.#path.push(key);
      if (Object.hasOwn(object, key)) {
        members ??= Object.entries(object);
        repeated ??= new Set();
        if (!repeated.has(key)) this.#reportDuplicate();
        repeated.add(key);
      }
      const value = this.#value('looking for beginning of value');
      members?.push([key, value]);
      setKey(object, key, value);
      this.#path.pop();
      this.#blanks();
      const next = this.#text[this.#at];
      if (next !== ',' && next !== '}') throw this.#unexpected('after object key:value pair');
      this.#at++;
      if (next === '}') {
        if (members !== undefined) this.repeats.set(object, members);
        this.#depth--;
        return object;
      }
    }
  }

  #list(): JsonValue[] {
    this.#deeper();
    const list: JsonValue[] = [];
    this.#blanks();
    if (this.#text[this.#at] === ']') {
      this.#at++;
      this.#depth--;
      return list;
    }
    for (;;) {
      this.#path.push(list.length);
      list.push(this.#value('looking for beginning of value'));
      this.#path.pop();
      this.#blanks();
      const next = this.#text[this.#at];
      if (next !== ',' && next !== ']') throw this.#unexpected('after array element');
      this.#at++;
      if (next === ']') {
        this.#depth--;
        return list;
      }
    }
  }

  #reportDuplicate(): void {
    if (this.duplicates.size >= MAX_DUPLICATES) return;
    const path = this.#path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`));
    this.duplicates.add(`duplicate field ${quoteText(path.join(''))}`);
  }

  #string(): string {
    let value = '';
    this.#at++;
    for (;;) {
      const start = this.#at;
      for (let code = this.#text.charCodeAt(start); code >= 0x20 && code !== 0x22 && code !== 0x5c; ) {
        code = this.#text.charCodeAt(++this.#at);
      }
      value += this.#text.slice(start, this.#at);
      const next = this.#text[this.#at];
      if (next === '"') {
        this.#at++;
        return SURROGATE.test(value) ? value.replace(HALF_PAIR, '\ufffd') : value;
      }
      if (next !== '\\') throw this.#unexpected('in string literal');
      this.#at++;
      value += this.#escape();
    }
  }

  #escape(): string {
    const letter = this.#text[this.#at];
    if (letter === 'u') {
      this.#at++;
      const start = this.#at;
      for (; this.#at < start + 4; this.#at++) {
        if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? ''))
          throw this.#unexpected('in \\u hexadecimal character escape');
      }
      return String.fromCharCode(Number.parseInt(this.#text.slice(start, this.#at), 16));
    }
    const value = letter === undefined ? undefined : ESCAPES[letter];
    if (value === undefined) throw this.#unexpected('in string escape code');
    this.#at++;
    return value;
  }

  #number(): number | JsonNumber {
    NUMBER.lastIndex = this.#at;
    const text = NUMBER.exec(this.#text)?.[0];
    if (text === undefined) {
      this.#at++;
      throw this.#unexpected('in numeric literal');
    }
    this.#at += text.length;
    const next = this.#text[this.#at];
    if (next === '.') {
      if (!/[.eE]/.test(text)) {
        this.#at++;
        throw this.#unexpected('after decimal point in numeric literal');
      }
    } else if ((next === 'e' || next === 'E') && !/[eE]/.test(text)) {
      this.#at++;
      if (this.#text[this.#at] === '+' || this.#text[this.#at] === '-') this.#at++;
      throw this.#unexpected('in exponent of numeric literal');
    }
    const value = Number(text);
    return String(value) === text ? value : new JsonNumber(text);
  }

  #word<T>(word: string, value: T): T {
    for (let i = 1; i < word.length; i++) {
      this.#at++;
      if (this.#text[this.#at] !== word[i]) throw this.#unexpected(`in literal ${word} (expecting '${word[i]}')`);
    }
    this.#at++;
    return value;
  }

  #blanks(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  #unexpected(context: string): MalformedBodyError {
    const found = this.#text[this.#at];
    if (found === undefined) return new MalformedBodyError('unexpected end of JSON input');
    return new MalformedBodyError(`invalid character ${quoted(this.#text, this.#at)} ${context}`);
  }
}

/** The first byte of the character at `at` as clients of the field's systems see it: one byte, read as Latin-1. */
function quoted(text: string, at: number): string {
  const byte = Buffer.from(String.fromCodePoint(text.codePointAt(at) ?? 0))[0] ?? 0;
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return `'"'`;
  const shown = JSON.stringify(String.fromCharCode(byte)).slice(1, -1);
  return `'${shown}'`;
}
