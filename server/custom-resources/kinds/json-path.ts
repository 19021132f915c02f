import { isObject, JsonNumber, type JsonValue } from '#base/json/json-value.ts';

/** Steps from a value to some values below it. */
export type JsonPath = (value: JsonValue) => JsonValue[];

type Step = (values: readonly JsonValue[]) => JsonValue[];

/** A path that cannot be read. */
export class JsonPathError extends Error {}

/**
 * Compiles a path such as `.status.conditions[?(@.type=="Ready")].status`: members (a dot in a name is escaped), items
 * from either end, slices, `*`, `..` and filters that compare. Members that are missing give nothing.
 *
 * @throws JsonPathError.
 */
export function compileJsonPath(text: string): JsonPath {
  const reader = new PathReader(text);
  const steps = reader.steps();
  return (value) => steps.reduce<JsonValue[]>((values, step) => step(values), [value]);
}

class PathReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  steps(): Step[] {
    const steps: Step[] = [];
    while (this.#at < this.#text.length) {
      const step = this.#step();
      if (step !== undefined) steps.push(step);
    }
    return steps;
  }

  #step(): Step | undefined {
    if (this.#take('..')) return everything;
    if (this.#take('.')) {
      if (this.#text[this.#at] === '[') return undefined;
      if (this.#at === this.#text.length) return members(['']);
      return this.#member();
    }
    if (this.#take('[')) return this.#brackets();
    // what follows `..` has no dot of its own
    return this.#member();
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

  #brackets(): Step {
    const end = this.#closing();
    const inside = this.#text.slice(this.#at, end).trim();
    this.#at = end + 1;
    if (inside === '*') return children;
    if (inside.startsWith('?(') && inside.endsWith(')')) return filter(inside.slice(2, -1));
    const slice = /^(-?\d*):(-?\d*)(?::(-?\d*))?$/.exec(inside);
    if (slice !== null) return items(slice[1]!, slice[2]!, slice[3] ?? '');
    const parts = inside.split(',').map((part) => part.trim());
    if (parts.every((part) => /^-?\d+$/.test(part))) {
      return (values) => parts.flatMap((part) => values.flatMap((value) => itemAt(value, Number(part))));
    }
    const names = parts.map((part) => /^'(.*)'$/s.exec(part)?.[1] ?? /^"(.*)"$/s.exec(part)?.[1]);
    if (names.some((name) => name === undefined)) throw this.#error('an index is no number');
    const [name = ''] = names;
    // one name in quotes is read as a path, too: its dots lead on unless they are escaped
    if (names.length === 1) return along(name.split(/(?<!\\)\./));
    return members(names.map((each) => plain(each!)));
  }

  /** Where the bracket closes that has just been opened. */
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

/** Steps from member to member. */
function along(names: readonly string[]): Step {
  const steps = names.map((name) => members([plain(name)]));
  return (values) => steps.reduce<JsonValue[]>((found, step) => step(found), [...values]);
}

/** How many values a path may lead to: `..` and `*` multiply. */
const MAX_VALUES = 10_000;

function children(values: readonly JsonValue[]): JsonValue[] {
  return values.flatMap(childrenOf).slice(0, MAX_VALUES);
}

function childrenOf(value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function everything(values: readonly JsonValue[]): JsonValue[] {
  const found: JsonValue[] = [...values];
  for (let i = 0; i < found.length && found.length < MAX_VALUES; i++) found.push(...childrenOf(found[i]!));
  return found.slice(0, MAX_VALUES);
}

function members(names: readonly string[]): Step {
  return (values) =>
    values.flatMap((value) =>
      isObject(value) ? names.flatMap((name) => (Object.hasOwn(value, name) ? [value[name]!] : [])) : [],
    );
}

function itemAt(value: JsonValue, index: number): JsonValue[] {
  if (!Array.isArray(value)) return [];
  const item = value.at(index);
  return item === undefined ? [] : [item];
}

function items(from: string, to: string, by: string): Step {
  const step = by === '' ? 1 : Number(by);
  if (!(step > 0)) throw new JsonPathError('a step must be positive');
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) return [];
      const part = value.slice(from === '' ? 0 : Number(from), to === '' ? undefined : Number(to));
      return part.filter((_, i) => i % step === 0);
    });
}

const COMPARISON = /^(.*?)(==|!=|<=|>=|<|>)(.*)$/s;

/** Keeps the items of lists for which a comparison holds, or in which a path leads somewhere. */
function filter(text: string): Step {
  const [, left = text, operator, right = ''] = COMPARISON.exec(text.trim()) ?? [];
  const first = operand(left.trim());
  const second = operator === undefined ? undefined : operand(right.trim());
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) return [];
      return value.filter((item) => {
        const a = first(item);
        if (second === undefined || operator === undefined) return a.length > 0;
        const b = second(item);
        return a.length > 0 && b.length > 0 && holds(a[0]!, operator, b[0]!);
      });
    });
}

function operand(text: string): JsonPath {
  if (text.startsWith('@')) return compileJsonPath(text.slice(1));
  const quoted = /^"(.*)"$/s.exec(text)?.[1] ?? /^'(.*)'$/s.exec(text)?.[1];
  const literal =
    quoted ??
    (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text === 'true' ? true : text === 'false' ? false : undefined);
  if (literal === undefined) throw new JsonPathError(`${JSON.stringify(text)} is neither a path nor a value`);
  return () => [literal];
}

function holds(a: JsonValue, operator: string, b: JsonValue): boolean {
  const [left, right] = [comparable(a), comparable(b)];
  if (typeof left !== typeof right) return operator === '!=';
  switch (operator) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    default:
      return left >= right;
  }
}

function comparable(value: JsonValue): string | number | boolean {
  if (value instanceof JsonNumber) return Number(value);
  return typeof value === 'object' ? JSON.stringify(value) : value;
}
