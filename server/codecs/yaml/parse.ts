import { isUtf8 } from 'node:buffer';
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
import { isObject, JsonNumber, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import { MalformedBodyError } from '../../json/malformed-body-error.ts';
import { type Parsed, parseJson } from '../../json/parse.ts';
import { setKey } from '../../json/set-key.ts';
import { plainValue } from './scalars.ts';

/** Nodes that aliases may add to a document: enough for honest ones, too few for a bomb. */
const MAX_ALIASED = 100_000;
const MAX_DUPLICATES = 100;
/**
 * Pieces of a document that are looked at: names, values, marks, line ends. Each costs some microseconds and a kilobyte,
 * so that of larger ones a small body could keep everybody else waiting. A file of 14,000 lines has as many.
 */
const MAX_PIECES = 100_000;
/** Lines of all kinds, those of long texts too, each of which costs some 170 bytes while it is read. */
const MAX_LINES = 150_000;
/** Each directive is looked at once more for all that follow it. */
const MAX_DIRECTIVES = 100;
/** Composing a document takes about a kilobyte of stack a level. */
const MAX_DEPTH = 250;

const LINE_END = 0x0a;

/** Words for what is wrong, where those of the field differ from the parser's. */
const MESSAGES: { readonly [code in ErrorCode]?: string } = {
  TAB_AS_INDENT: 'found character that cannot start any token',
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  BLOCK_IN_FLOW: 'did not find expected node content',
  MISSING_CHAR: "did not find expected ',' or ']'",
  BAD_INDENT: 'did not find expected key',
  BAD_ALIAS: 'unknown anchor referenced',
};

/**
 * Parses the first document of a YAML 1.1 stream to JSON; keys are sorted, and those that are not texts become texts.
 * `duplicates` are of the form `line 7: key "x" already set in map`; the last value counts. Throws a
 * {@link MalformedBodyError} whose message starts with `yaml: `.
 */
export function parseYaml(input: Uint8Array | string): Parsed {
  return jsonAsYaml(input) ?? parseStream(input);
}

/** The text of a strict error about duplicates of a YAML document. */
export function strictYamlError(duplicates: readonly string[]): string {
  return `yaml: unmarshal errors:\n${duplicates.map((text) => `  ${text}`).join('\n')}`;
}

const LOOKS_LIKE_JSON = /^[ \n\r]*[{[]/;

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** Most "YAML" bodies are JSON, which is much cheaper to parse; undefined where it is not, or has something odd. */
function jsonAsYaml(input: Uint8Array | string): Parsed | undefined {
  if (!LOOKS_LIKE_JSON.test(typeof input === 'string' ? input.slice(0, 100) : latin1(input.subarray(0, 100)))) {
    return undefined;
  }
  try {
    const { value, duplicates } = parseJson(input);
    return duplicates.length > 0 ? undefined : { value: sorted(value), duplicates };
  } catch {
    return undefined;
  }
}

/** Keys in order and numbers as YAML reads them. */
function sorted(value: JsonValue): JsonValue {
  if (value instanceof JsonNumber) return plainValue(value.text);
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value).sort()) setKey(result, key, sorted(value[key] ?? null));
  return result;
}

function parseStream(input: Uint8Array | string): Parsed {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  if (!isUtf8(bytes)) throw new MalformedBodyError('yaml: invalid UTF-8 text');
  if (hasMoreLines(bytes, MAX_LINES)) throw new MalformedBodyError('yaml: too many lines for YAML: send them as JSON');
  if (bytes.some(isControl)) throw new MalformedBodyError('yaml: control characters are not allowed');
  const source = typeof input === 'string' ? input : new TextDecoder().decode(input);
  const lines = new LineCounter();
  for (const document of documents(source, lines)) {
    const error = document.errors[0];
    if (error !== undefined) throw syntaxError(error, lines);
    const converter = new Converter(lines);
    return { value: converter.node(document.contents), duplicates: converter.duplicates };
  }
  return { value: null, duplicates: [] };
}

function hasMoreLines(bytes: Uint8Array, most: number): boolean {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) if (++lines > most) return true;
  return false;
}

function isControl(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d;
}

/** The documents of a stream one by one. Composing descends by calls, so depth is limited before. */
function* documents(source: string, lines: LineCounter): Generator<Document.Parsed<ParsedNode>> {
  const composer = new Composer({ version: '1.1', schema: 'failsafe', uniqueKeys: false, logLevel: 'silent' });
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let pieces = 0;
  let directives = 0;
  for (const lexeme of new Lexer().lex(source)) {
    if (++pieces > MAX_PIECES) throw new MalformedBodyError('yaml: too many values for YAML: send them as JSON');
    if (lexeme.startsWith('%') && ++directives > MAX_DIRECTIVES) {
      throw new MalformedBodyError('yaml: too many directives');
    }
    for (const token of parser.next(lexeme)) yield* composer.next(token);
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
  /** What an anchor stands for; undefined while its own content is being converted. */
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
        merged.push(...this.#mergeSources(this.node(value)));
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

  /** Names the line on which the value starts, as the field's tools do. */
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
