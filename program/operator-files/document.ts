import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
} from 'yaml';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Path, Problem } from './validate.ts';

/**
 * The meanings of the YAML parser's error codes. The parser's own messages may repeat the text, which may contain
 * secrets.
 */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['BAD_ALIAS', 'an alias names no anchor before it'],
  ['BAD_INDENT', 'the indentation does not fit the lines before, or a bracket is not closed'],
  ['BLOCK_AS_IMPLICIT_KEY', 'a field stands where its value is expected'],
  ['MISSING_CHAR', 'a colon, comma, quote or bracket is missing'],
  ['MULTIPLE_DOCS', 'there is a second document'],
  ['MULTILINE_IMPLICIT_KEY', 'the name of a field has several lines: a colon may be missing'],
  ['TAB_AS_INDENT', 'a tab stands where spaces must stand'],
  ['TAG_RESOLVE_FAILED', 'a tag is not known'],
  ['UNEXPECTED_TOKEN', 'something stands where it must not'],
]);

/** A place in a file; both numbers start at 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A text of YAML or JSON. The place of each value is known. */
export class TextDocument {
  /** The name of the file in messages. */
  readonly file: string;
  readonly value: unknown;
  /** Repeated fields of one object. */
  readonly doubled: readonly Problem[];
  readonly #document: Document;
  readonly #lines: LineCounter;

  /**
   * @param firstOnly whether only the first document of several is read; otherwise a second one is a mistake
   * @throws ConfigError for a text that is neither YAML nor JSON, with the places of all errors
   */
  constructor(text: string, file: string, firstOnly = false) {
    this.file = file;
    this.#lines = new LineCounter();
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: 'error',
    });
    const { errors, warnings, contents } = this.#document;
    const found = [...errors, ...warnings]
      .map(({ pos, code }) => ({ at: pos[0], code: code as string }))
      .filter(({ code }) => !firstOnly || code !== 'MULTIPLE_DOCS');
    visit(this.#document, {
      Alias: (_, alias) => {
        if (alias.resolve(this.#document) === undefined) found.push({ at: alias.range?.[0] ?? 0, code: 'BAD_ALIAS' });
      },
    });
    const mistakes = found.map(({ at, code }) => {
      const { line, column } = this.#placeAt(at);
      return `${file}:${line}:${column}: it is neither YAML nor JSON: ${WORDS.get(code) ?? code}`;
    });
    if (mistakes.length > 0) throw new ConfigError([...new Set(mistakes)].join('\n'));
    try {
      this.value = this.#document.toJS();
    } catch {
      throw new ConfigError(`${file}:1:1: it is neither YAML nor JSON: its aliases make too much of it`);
    }
    this.doubled = doubledIn(contents, []);
  }

  /**
   * The place of a value in its file. For a missing value it is the place of the object that lacks it.
   *
   * @param ofName whether to return the place of the field's name
   */
  placeOf(path: Path, ofName = false): Place {
    let node: Node | null = this.#document.contents;
    let at = node?.range?.[0] ?? 0;
    for (const [depth, step] of path.entries()) {
      if (isAlias(node)) node = node.resolve(this.#document) ?? null;
      const isLast = depth === path.length - 1;
      if (isMap(node)) {
        // The last of several entries with one name is used. It is also the redundant one.
        const pair = node.items.findLast(({ key }) => nameOf(key) === String(step)) as Pair<Node, Node> | undefined;
        if (pair === undefined) break;
        const isEmpty = pair.value === null || (isScalar(pair.value) && pair.value.source === '');
        const shown = (isLast && ofName) || isEmpty ? pair.key : pair.value;
        at = shown?.range?.[0] ?? at;
        node = pair.value;
      } else if (isSeq(node)) {
        node = (node.items[Number(step)] as Node | undefined) ?? null;
        at = node?.range?.[0] ?? at;
      } else break;
    }
    return this.#placeAt(at);
  }

  #placeAt(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }
}

function nameOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

/** Aliases are not followed. The value that an alias means is checked at its own place. */
function doubledIn(node: unknown, path: Path): Problem[] {
  if (isSeq(node)) return node.items.flatMap((item, i) => doubledIn(item, [...path, i]));
  if (!isMap(node)) return [];
  const seen = new Set<string>();
  return node.items.flatMap(({ key, value }) => {
    const name = nameOf(key);
    const own = [...path, name];
    const twice: Problem[] = seen.has(name) ? [{ path: own, what: 'stands here twice', ofName: true }] : [];
    seen.add(name);
    return [...twice, ...doubledIn(value, own)];
  });
}
