import type { JsonValue } from '#base/json/json-value.ts';
import type { CheckWork } from '../schema/check-work.ts';
import {
  along,
  type Comparison,
  children,
  everything,
  filter,
  itemsAt,
  members,
  type Operand,
  type Step,
  slice,
} from './json-path-steps.ts';

/**
 * The first value at a path, if there is one. The work is charged to `work`.
 * @throws OverWorkError if the remaining `work` is not enough
 */
export type JsonPath = (value: JsonValue, work: CheckWork) => JsonValue | undefined;

/** The error about a malformed path. */
export class JsonPathError extends Error {}

/** The largest number of steps of a path. A walk uses one more level of the stack for each step. */
const MAX_STEPS = 500;
/** The deepest nesting of filters. Each level reads the text inside it again. */
const MAX_FILTERS = 10;

const COMPARISON = /^(.*?)(==|!=|<=|>=|<|>)(.*)$/s;
const LITERALS = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * Compiles a path such as `.status.conditions[?(@.type=="Ready")].status`. A path has members (a dot in a name is
 * escaped), items counted from either end, slices, `*`, `..` and filters that compare. A missing member yields no
 * value.
 *
 * @throws JsonPathError if the path is malformed, has more than 500 steps, or nests more than 10 filters
 */
export function compileJsonPath(text: string): JsonPath {
  return compile(text, 0);
}

/** `filters` is the nesting depth of the path. */
function compile(text: string, filters: number): JsonPath {
  const steps = new PathReader(text, filters).steps();
  return (value, work) => {
    let first: JsonValue | undefined;
    along(steps, value, work, (found) => {
      first = found;
      return true;
    });
    return first;
  };
}

class PathReader {
  readonly #text: string;
  readonly #filters: number;
  #at = 0;

  /** `filters` is the nesting depth of this path. */
  constructor(text: string, filters: number) {
    this.#text = text;
    this.#filters = filters;
  }

  steps(): Step[] {
    const steps: Step[] = [];
    while (this.#at < this.#text.length) {
      for (const step of this.#next()) steps.push(step);
      if (steps.length > MAX_STEPS) throw this.#error('too many steps');
    }
    return steps;
  }

  #next(): readonly Step[] {
    if (this.#take('..')) return [everything];
    if (this.#take('.')) {
      if (this.#text[this.#at] === '[') return [];
      if (this.#at === this.#text.length) return [members([''])];
      return [this.#member()];
    }
    if (this.#take('[')) return this.#brackets();
    // A name directly after `..` has no dot.
    return [this.#member()];
  }

  #member(): Step {
    let name = '';
    while (this.#at < this.#text.length && !'.['.includes(this.#text[this.#at]!)) {
      if (this.#text[this.#at] === '\\') this.#at++;
      name += this.#text[this.#at++] ?? '';
    }
    if (name === '') throw this.#error('a name is missing');
    return name === '*' ? children : members([name]);
  }

  #brackets(): readonly Step[] {
    const end = this.#closing();
    const inside = this.#text.slice(this.#at, end).trim();
    this.#at = end + 1;
    if (inside === '*') return [children];
    if (inside.startsWith('?(') && inside.endsWith(')')) return [this.#filter(inside.slice(2, -1).trim())];
    const range = /^(-?\d*):(-?\d*)(?::(-?\d*))?$/.exec(inside);
    if (range !== null) return [this.#slice(range[1]!, range[2]!, range[3] ?? '')];
    const parts = inside.split(',').map((part) => part.trim());
    if (parts.every((part) => /^-?\d+$/.test(part))) return [itemsAt(parts.map(Number))];
    const names = parts.map((part) => /^'(.*)'$/s.exec(part)?.[1] ?? /^"(.*)"$/s.exec(part)?.[1]);
    if (names.some((name) => name === undefined)) throw this.#error('an index is no number');
    const [name = ''] = names;
    // A single quoted name is also read as a path. Its dots separate steps unless they are escaped.
    if (names.length === 1) return name.split(/(?<!\\)\./).map((each) => members([plain(each)]));
    return [members(names.map((each) => plain(each!)))];
  }

  #slice(from: string, to: string, by: string): Step {
    const step = by === '' ? 1 : Number(by);
    if (!(step > 0)) throw this.#error('a step must be positive');
    return slice(from === '' ? 0 : Number(from), to === '' ? undefined : Number(to), step);
  }

  #filter(text: string): Step {
    if (this.#filters === MAX_FILTERS) throw this.#error('too many filters');
    const [, left = text, comparison, right = ''] = COMPARISON.exec(text) ?? [];
    const first = this.#operand(left.trim());
    return comparison === undefined
      ? filter(first)
      : filter(first, comparison as Comparison, this.#operand(right.trim()));
  }

  #operand(text: string): Operand {
    if (text.startsWith('@')) return compile(text.slice(1), this.#filters + 1);
    const quoted = /^"(.*)"$/s.exec(text)?.[1] ?? /^'(.*)'$/s.exec(text)?.[1];
    const literal = quoted ?? LITERALS.get(text) ?? (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined);
    if (literal === undefined) throw this.#error(`${JSON.stringify(text)} is neither a path nor a value`);
    return () => literal;
  }

  /** The position of the bracket that closes the last open one. */
  #closing(): number {
    let quote = '';
    let depth = 0;
    for (let i = this.#at; i < this.#text.length; i++) {
      const character = this.#text[i]!;
      if (character === '\\') i++;
      else if (quote !== '') quote = character === quote ? '' : quote;
      else if (character === '"' || character === "'") quote = character;
      else if (character === '[') depth++;
      else if (character === ']' && depth-- === 0) return i;
    }
    throw this.#error('unterminated array');
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #error(what: string): JsonPathError {
    return new JsonPathError(`${what} in ${JSON.stringify(this.#text)}`);
  }
}

function plain(name: string): string {
  return name.replaceAll('\\', '');
}
