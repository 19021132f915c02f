import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { ConfigError } from '#base/errors/config-error.ts';

/** A value in a YAML or JSON text, which knows its line, so that who wrote it is told where the mistake is. */
export class YamlPlace {
  readonly #node: Node | undefined;
  readonly #path: string;
  readonly #line: number;
  readonly #lines: LineCounter;

  private constructor(node: Node | undefined, path: string, line: number, lines: LineCounter) {
    this.#node = node;
    this.#path = path;
    this.#lines = lines;
    this.#line = node?.range == null ? line : lines.linePos(node.range[0]).line;
  }

  /** The whole of a text. @throws ConfigError with the line that is no YAML */
  static of(text: string): YamlPlace {
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const [error] = [...document.errors, ...document.warnings];
    // the message of the parser would show the text, and there are keys in it
    if (error !== undefined) {
      const { line } = lines.linePos(error.pos[0]);
      throw new ConfigError(`line ${line}: it is neither YAML nor JSON (${error.code})`);
    }
    return new YamlPlace((document.contents as Node | null) ?? undefined, '', 1, lines);
  }

  get isMissing(): boolean {
    return this.#node === undefined || (isScalar(this.#node) && this.#node.value === null);
  }

  /** What is wrong with this value, which the message does not show. */
  mistake(what: string): ConfigError {
    const where = this.#path === '' ? 'it' : this.#path;
    return new ConfigError(`line ${this.#line}: ${where} ${what}`);
  }

  /** The value of one of `fields`, which are all that may be there. @throws ConfigError */
  fields<F extends string>(...fields: readonly F[]): (field: F) => YamlPlace {
    const node = this.#node;
    if (!isMap(node)) throw this.mistake('must be an object');
    const found = new Map<string, Node | undefined>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      const place = new YamlPlace(key as Node, this.#under(name), this.#line, this.#lines);
      if (!(fields as readonly string[]).includes(name)) throw place.mistake(`is not one of ${fields.join(', ')}`);
      found.set(name, (value as Node | null) ?? (key as Node));
      if (value === null) found.set(name, undefined);
    }
    return (field) => new YamlPlace(found.get(field), this.#under(field), this.#line, this.#lines);
  }

  /** Whether an object has a field, with or without a value. */
  has(field: string): boolean {
    return isMap(this.#node) && this.#node.has(field);
  }

  /** The items of a list that has some. @throws ConfigError */
  items(): YamlPlace[] {
    const node = this.#node;
    if (this.isMissing || (isSeq(node) && node.items.length === 0)) throw this.mistake('must name at least one');
    if (!isSeq(node)) throw this.mistake('must be a list');
    return node.items.map((item, i) => new YamlPlace(item as Node, `${this.#path}[${i}]`, this.#line, this.#lines));
  }

  /** A text that is not empty. @throws ConfigError */
  text(): string {
    if (this.isMissing) throw this.mistake('is missing');
    const value = isScalar(this.#node) ? this.#node.value : undefined;
    if (typeof value !== 'string') throw this.mistake('must be a text');
    if (value === '') throw this.mistake('must not be empty');
    return value;
  }

  /** A whole number, `fallback` where there is none. @throws ConfigError */
  integer(fallback: number): number {
    if (this.isMissing) return fallback;
    const value = isScalar(this.#node) ? this.#node.value : undefined;
    if (!Number.isSafeInteger(value)) throw this.mistake('must be a whole number');
    return value as number;
  }

  #under(field: string): string {
    return this.#path === '' ? field : `${this.#path}.${field}`;
  }
}
