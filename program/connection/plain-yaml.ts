/** A value of a connection file in the style of the tools. */
export type PlainValue = string | boolean | null | readonly PlainValue[] | { readonly [key: string]: PlainValue };

interface Line {
  /** The number of spaces before it. */
  indent: number;
  text: string;
}

const KEY = /^([A-Za-z][\w./-]*):(?: +(.*))?$/;
/** Matches texts without quotes that every version of YAML reads as texts. */
const PLAIN = /^[A-Za-z0-9/_](?:[\w./@+=-]|:(?=[\w./@+=-]))*$/;
const QUOTED = /^(?:"([\w ./:@+=,-]*)"|'([\w ./:@+=,-]*)')$/;
/** Texts that some YAML versions read as a number, a date or a boolean. */
const AMBIGUOUS = /^(?:[-+.]*\d[\d._a-fox:+-]*|[-+]?\.(?:inf|nan)|null|true|false|yes|no|on|off|y|n)$/i;

/**
 * Reads YAML in the style in which the tools write connection files: nested maps and lists in blocks, texts, `true`,
 * `false` and `null`. Returns undefined for every other text, correct or not. Such a text needs a complete YAML parser,
 * which is slow to load. A result of this function is the same as that of a complete parser.
 *
 * @example readPlainYaml('users:\n- name: me\n  user: {}\n') // { users: [{ name: 'me', user: {} }] }
 */
export function readPlainYaml(text: string): PlainValue | undefined {
  const lines: Line[] = [];
  for (const line of text.split('\n')) {
    const trimmed = line.trimStart();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    lines.push({ indent: line.length - trimmed.length, text: trimmed });
  }
  if (/[\t\r]/.test(text) || lines.length === 0 || lines[0]!.indent !== 0) return undefined;
  try {
    const reader = new Reader(lines);
    const value = reader.block(0, 0);
    return reader.isAtEnd ? value : undefined;
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

class NotPlain extends Error {}

/** The largest depth. It is larger than that of any connection file, and small enough for the stack. */
const DEEPEST = 50;

class Reader {
  readonly #lines: readonly Line[];
  #at = 0;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#lines.length;
  }

  /** The map or list whose lines start at an indent. */
  block(indent: number, depth: number): PlainValue {
    if (depth > DEEPEST) throw new NotPlain();
    return isItem(this.#lines[this.#at]!) ? this.#list(indent, depth) : this.#map(indent, depth);
  }

  #list(indent: number, depth: number): PlainValue {
    const items: PlainValue[] = [];
    for (let line = this.#here(indent); line !== undefined && isItem(line); line = this.#here(indent)) {
      const inner = line.text.slice(1).trimStart();
      if (inner === '') throw new NotPlain();
      if (KEY.test(inner)) {
        // A map that begins on the line of the dash.
        line.indent += line.text.length - inner.length;
        line.text = inner;
        items.push(this.#map(line.indent, depth + 1));
      } else {
        this.#at++;
        items.push(scalar(inner));
      }
    }
    return items;
  }

  #map(indent: number, depth: number): PlainValue {
    const map = new Map<string, PlainValue>();
    for (let line = this.#here(indent); line !== undefined && !isItem(line); line = this.#here(indent)) {
      const [, key, inner = ''] = KEY.exec(line.text) ?? [];
      if (key === undefined || map.has(key) || AMBIGUOUS.test(key)) throw new NotPlain();
      this.#at++;
      map.set(key, inner === '' ? this.#below(indent, depth) : scalar(inner));
    }
    return Object.fromEntries(map);
  }

  /** The value of a key: a block with more indentation, or a list with the same. */
  #below(indent: number, depth: number): PlainValue {
    const next = this.#lines[this.#at];
    if (next === undefined || next.indent < indent || (next.indent === indent && !isItem(next))) return null;
    return this.block(next.indent, depth + 1);
  }

  /** The next line of a block. @throws NotPlain for a line that belongs to no block */
  #here(indent: number): Line | undefined {
    const line = this.#lines[this.#at];
    if (line !== undefined && line.indent > indent) throw new NotPlain();
    return line?.indent === indent ? line : undefined;
  }
}

function isItem({ text }: Line): boolean {
  return text === '-' || text.startsWith('- ');
}

/** @throws NotPlain */
function scalar(written: string): PlainValue {
  const text = written.trimEnd();
  if (text === '{}') return {};
  if (text === '[]') return [];
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? '';
  if (!PLAIN.test(text) || AMBIGUOUS.test(text)) throw new NotPlain();
  return text;
}
