import {
  type Alias,
  Composer,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type ParsedNode,
  Parser,
  type YAMLMap,
  type YAMLParseError,
} from 'yaml';
import { append } from '#base/collections/append.ts';
import { isObject, JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import type { Parsed } from '#base/json/parse.ts';
import { setKey } from '#base/json/set-key.ts';
import { MAX_DEPTH } from './line-cursor.ts';
import { plainValue } from './scalars.ts';

/**
 * The largest number of nodes that aliases may add to a document. It is enough for a normal document, and too small for
 * an attack with nested aliases.
 */
const MAX_ALIASED = 100_000;
const MAX_DUPLICATES = 100;
/**
 * The limits of the complete reader: in characters, and in pieces (names, values, marks, line ends). Each piece costs
 * some microseconds and a kilobyte. Without this limit, a small body could delay all other clients.
 */
const MAX_LENGTH = 32 * 1024;
const MAX_PIECES = 2_500;
/** The largest number of tabs. At the end of a block of text, the parser reads all earlier tabs again. */
const MAX_TABS = 200;
/** The largest number of directives. The parser reads each directive again for each later one. */
const MAX_DIRECTIVES = 100;

/** Error messages that replace those of the parser, because clients know another form. */
const MESSAGES: { readonly [code in ErrorCode]?: string } = {
  TAB_AS_INDENT: 'found character that cannot start any token',
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  BLOCK_IN_FLOW: 'did not find expected node content',
  MISSING_CHAR: "did not find expected ',' or ']'",
  BAD_INDENT: 'did not find expected key',
  BAD_ALIAS: 'unknown anchor referenced',
};

/**
 * Reads the first document of YAML 1.1 with all its features, and describes mistakes. `oddLine` is the first line that
 * the plain reader cannot read.
 *
 * @throws MalformedBodyError, also for a text that is too large, because it would cost fifty times as much as a plain
 * document
 */
export function readCompletely(source: string, oddLine: number): Parsed {
  const tooMuch = new MalformedBodyError(
    `yaml: line ${oddLine}: a document of this size must not have anchors, tags, complex keys, keys given twice or mistakes: send it as JSON`,
  );
  if (source.length > MAX_LENGTH || hasMore(source, '\t', MAX_TABS)) throw tooMuch;
  const lines = new LineCounter();
  for (const document of documents(source, lines, tooMuch)) {
    const error = document.errors[0];
    if (error !== undefined) throw syntaxError(error, lines);
    const converter = new Converter(lines);
    return { value: converter.node(document.contents), duplicates: converter.duplicates };
  }
  return { value: null, duplicates: [] };
}

function hasMore(text: string, mark: string, most: number): boolean {
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) if (++count > most) return true;
  return false;
}

/** The documents of a stream one by one. The parser uses recursion, so the depth is limited before. */
function* documents(
  source: string,
  lines: LineCounter,
  tooMuch: MalformedBodyError,
): Generator<Document.Parsed<ParsedNode>> {
  const composer = new Composer({ version: '1.1', schema: 'failsafe', uniqueKeys: false, logLevel: 'silent' });
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let pieces = 0;
  let directives = 0;
  for (const lexeme of new Lexer().lex(source)) {
    if (++pieces > MAX_PIECES) throw tooMuch;
    if (lexeme.startsWith('%') && ++directives > MAX_DIRECTIVES) {
      throw new MalformedBodyError('yaml: too many directives');
    }
    for (const token of parser.next(lexeme)) {
      yield* composer.next(token);
      // The reader reports only the first mistake, because each mistake is expensive.
      if (token.type === 'error') return yield* composer.end(false, source.length);
    }
    if (parser.stack.length > MAX_DEPTH) throw new MalformedBodyError('yaml: exceeded max depth');
  }
  for (const token of parser.end()) yield* composer.next(token);
  yield* composer.end(false, source.length);
}

function syntaxError(error: YAMLParseError, lines: LineCounter): MalformedBodyError {
  const { line } = lines.linePos(error.pos[0]);
  const message = MESSAGES[error.code] ?? error.message.charAt(0).toLowerCase() + error.message.slice(1);
  return new MalformedBodyError(`yaml: line ${line}: ${message}`);
}

/** Turns the nodes of one document into JSON. */
class Converter {
  readonly duplicates: string[] = [];
  readonly #lines: LineCounter;
  /** The value of each anchor; undefined while its own content is being converted. */
  readonly #anchors = new Map<string, { value: JsonValue; size: number } | undefined>();
  #depth = 0;
  #size = 0;
  #aliased = 0;

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  node(node: ParsedNode | Alias | null | undefined): JsonValue {
    if (node === null || node === undefined) return null;
    if (isAlias(node)) return this.#alias(node);
    if (++this.#depth > MAX_DEPTH) throw new MalformedBodyError('yaml: exceeded max depth');
    const before = this.#size++;
    const { anchor } = node;
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    const value = isMap(node)
      ? this.#map(node)
      : isSeq(node)
        ? node.items.map((item) => this.node(item as ParsedNode))
        : this.#scalar(node);
    if (anchor !== undefined) this.#anchors.set(anchor, { value, size: this.#size - before });
    this.#depth--;
    return value;
  }

  #alias(node: Alias): JsonValue {
    const target = this.#anchors.get(node.source);
    if (target === undefined) {
      const what = this.#anchors.has(node.source) ? 'value contains itself' : 'is unknown';
      throw new MalformedBodyError(`yaml: anchor '${node.source}' ${what}`);
    }
    this.#size += target.size;
    this.#aliased += target.size;
    if (this.#aliased > MAX_ALIASED) throw new MalformedBodyError('yaml: document contains excessive aliasing');
    return structured(target.value);
  }

  #scalar(node: ParsedNode): JsonValue {
    if (!isScalar(node)) return null;
    const text = String(node.value ?? '');
    switch (node.tag) {
      case 'tag:yaml.org,2002:binary':
        return Buffer.from(text, 'base64').toString();
      case 'tag:yaml.org,2002:int':
      case 'tag:yaml.org,2002:float':
      case 'tag:yaml.org,2002:bool':
      case 'tag:yaml.org,2002:null':
        return plainValue(text);
      default:
        return node.type === 'PLAIN' && node.tag === undefined ? plainValue(text) : text;
    }
  }

  #map(node: YAMLMap.Parsed): JsonObject {
    const fields = new Map<string, JsonValue>();
    const merged: JsonObject[] = [];
    for (const { key, value } of node.items) {
      if (isScalar(key) && key.type === 'PLAIN' && key.source === '<<') {
        append(merged, this.#mergeSources(this.node(value)));
        continue;
      }
      const given = this.node(key);
      const name = this.#keyText(given);
      if (fields.has(name)) this.#reportDuplicate((value ?? key)?.range?.[0] ?? 0, given);
      fields.set(name, this.node(value));
    }
    for (const source of merged) {
      for (const name of Object.keys(source)) if (!fields.has(name)) fields.set(name, source[name] ?? null);
    }
    const object: JsonObject = {};
    for (const name of [...fields.keys()].sort()) setKey(object, name, fields.get(name) ?? null);
    return object;
  }

  #mergeSources(value: JsonValue): JsonObject[] {
    const sources = Array.isArray(value) ? value : [value];
    if (sources.every(isObject)) return sources;
    throw new MalformedBodyError('yaml: map merge requires map or sequence of maps as the value');
  }

  #keyText(key: JsonValue): string {
    if (typeof key === 'string') return key;
    if (typeof key === 'boolean' || typeof key === 'number' || key instanceof JsonNumber) return String(key);
    throw new MalformedBodyError(`yaml: unsupported map key of ${key === null ? 'null' : 'collection'} type`);
  }

  /** Names the line on which the value starts, like the field's tools. */
  #reportDuplicate(offset: number, key: JsonValue): void {
    if (this.duplicates.length >= MAX_DUPLICATES) return;
    const shown = typeof key === 'string' ? JSON.stringify(key) : String(key);
    this.duplicates.push(`line ${this.#lines.linePos(offset).line}: key ${shown} already set in map`);
  }
}

/** A copy that shares nothing. */
function structured(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(structured);
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setKey(copy, key, structured(value[key] ?? null));
  return copy;
}
