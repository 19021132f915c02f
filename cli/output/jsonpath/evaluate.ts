import { exactNumber } from '../exact-number.ts';
import { goText } from '../go-syntax.ts';
import type { Node, Step } from './parse.ts';

/** The error about a template that does not fit the object. */
export class PathError extends Error {
  override readonly name = 'PathError';
}

type Nodes = readonly Node[];

/**
 * The results of each part of a template, in order. The result of a text is the text itself. The results of a path are
 * all values to which it leads. Runs loops (`{range}…{end}`). The number of values is limited.
 * @throws PathError if the template does not fit the value
 */
export function evaluate(template: Nodes, data: unknown, allowMissing: boolean): unknown[][] {
  const results: unknown[][] = [];
  new Evaluation(allowMissing, new Budget()).all(template, data, results);
  return results;
}

/** The largest number of values. Steps may multiply values, but real lists of objects have fewer. */
const MOST_VALUES = 10_000_000;

class Budget {
  #used = 0;

  take(count = 1): void {
    this.#used += count;
    if (this.#used > MOST_VALUES) throw new PathError('the path leads to too many values');
  }
}

class Evaluation {
  readonly #allowMissing: boolean;
  readonly #budget: Budget;

  constructor(allowMissing: boolean, budget: Budget) {
    this.#allowMissing = allowMissing;
    this.#budget = budget;
  }

  /** Adds the results of each node to `results`. */
  all(nodes: Nodes, current: unknown, results: unknown[][]): void {
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at]!;
      const keyword = keywordOf(node);
      if (keyword === 'end') throw new PathError('not in range, nothing to end');
      this.#budget.take();
      if (keyword !== 'range') {
        results.push([...this.node(node, [current])]);
        continue;
      }
      const end = endOf(nodes, at);
      const over = { kind: 'action', nodes: (node as { nodes: Nodes }).nodes.slice(1) } as const;
      const body = nodes.slice(at + 1, end);
      for (const value of this.node(over, [current])) this.all(body, value, results);
      at = end;
    }
  }

  /**
   * The values of a node for the values before it. The parts of an action follow each other like the steps of a path.
   */
  node(node: Node, values: readonly unknown[]): readonly unknown[] {
    switch (node.kind) {
      case 'text':
        return [node.text];
      case 'value':
        return [node.value];
      case 'identifier':
        throw new PathError(`unrecognized identifier ${node.name}`);
      case 'action':
        return this.nodes(node.nodes, values);
      default:
        return node.steps.reduce<readonly unknown[]>((found, step) => this.step(step, found), values);
    }
  }

  nodes(nodes: Nodes, values: readonly unknown[]): readonly unknown[] {
    return nodes.reduce<readonly unknown[]>((found, node) => this.node(node, found), values);
  }

  step(step: Step, values: readonly unknown[]): unknown[] {
    switch (step.kind) {
      case 'field':
        return this.#fields(step.name, values);
      case 'wildcard':
        return this.#each(values, (value) => (typeof value === 'string' ? [...Buffer.from(value)] : childrenOf(value)));
      case 'recursive':
        return this.#each(values, (value) => descendants(value));
      case 'union':
        return this.#each(values, (value) => this.#each(step.parts, (part) => this.nodes(part, [value])));
      case 'slice':
        return this.#each(values, (value) => this.#slice(step, value));
      default:
        return this.#each(values, (value) => this.#filter(step, value));
    }
  }

  /** All results of `find` for the values. */
  #each<T>(values: readonly T[], find: (value: T) => readonly unknown[]): unknown[] {
    const all: unknown[] = [];
    for (const value of values) {
      const found = find(value);
      this.#budget.take(found.length + 1);
      for (const one of found) all.push(one);
    }
    return all;
  }

  #fields(name: string, values: readonly unknown[]): unknown[] {
    const found = values.flatMap((value) =>
      isObject(value) && Object.hasOwn(value, name) && value[name] !== undefined ? [value[name]] : [],
    );
    if (found.length === 0 && !this.#allowMissing) throw new PathError(`${name} is not found`);
    return found;
  }

  #slice({ from, to, step, one }: Extract<Step, { kind: 'slice' }>, value: unknown): unknown[] {
    if (value === null || value === undefined) return [];
    if (!Array.isArray(value)) throw new PathError(`${goTypeOf(value)} is not array or slice`);
    const { length } = value;
    const first = from === undefined ? 0 : from < 0 ? from + length : from;
    if (one) {
      if (first < 0 || first >= length)
        throw new PathError(`array index out of bounds: index ${first}, length ${length}`);
      return [value[first]];
    }
    const last = to === undefined ? length : to < 0 ? to + length : to;
    const found: unknown[] = [];
    // An empty result is not an error.
    if (first === last) return found;
    for (const [within, index] of [
      [first >= 0 && first < length, first],
      [last >= 0 && last <= length, last - 1],
    ])
      if (within === false) throw new PathError(`array index out of bounds: index ${index}, length ${length}`);
    if (first > last) throw new PathError(`starting index ${first} is greater than ending index ${last}`);
    if (step <= 0) throw new PathError('step must be > 0');
    for (let at = first; at < last; at += step) found.push(value[at]);
    return found;
  }

  #filter({ left, operator, right }: Extract<Step, { kind: 'filter' }>, value: unknown): unknown[] {
    if (!Array.isArray(value)) {
      if (value === null || value === undefined) return [];
      throw new PathError(`${goText(value)} is not array or slice and cannot be filtered`);
    }
    const lenient = new Evaluation(true, this.#budget);
    return value.filter((item) => {
      const found = lenient.nodes(left, [item]);
      if (operator === 'exists' || found.length === 0) return found.length > 0;
      const wanted = lenient.nodes(right, [item]);
      if (wanted.length === 0) return false;
      if (found.length > 1 || wanted.length > 1) throw new PathError('can only compare one element at a time');
      return compares(found[0], operator, wanted[0], isFloat(left), isFloat(right));
    });
  }
}

type Comparable = string | number | bigint | boolean;

/** Whether a side of a filter is a number with a decimal point. */
const isFloat = ([first]: Nodes) => first?.kind === 'value' && first.float === true;

/** @throws PathError if values of these types cannot be compared */
function compares(a: unknown, operator: string, b: unknown, floatA: boolean, floatB: boolean): boolean {
  if (!['==', '!=', '<', '<=', '>', '>='].includes(operator))
    throw new PathError(`unrecognized filter operator ${operator}`);
  const [[typeA, x], [typeB, y]] = [comparable(a, floatA), comparable(b, floatB)];
  if (typeA !== typeB) throw new PathError('incompatible types for comparison');
  // biome-ignore lint/suspicious/noDoubleEquals: both have one type, in which integers beyond doubles are bigints
  if (operator === '==' || operator === '!=') return (x == y) === (operator === '==');
  if (typeA === 'bool') throw new PathError('invalid type for comparison');
  if (operator === '<') return x < y;
  if (operator === '<=') return x <= y;
  return operator === '>' ? x > y : x >= y;
}

/** The type of a simple value, and its value for comparisons. */
function comparable(value: unknown, isFloat: boolean): [type: string, value: Comparable] {
  if (typeof value === 'string' || typeof value === 'boolean') return [goTypeOf(value), value];
  const number = exactNumber(value);
  if (number === undefined) throw new PathError('invalid type for comparison');
  return [isFloat ? 'float64' : goTypeOf(value), number];
}

const isNumber = (value: unknown) => exactNumber(value) !== undefined;

function keywordOf(node: Node): 'range' | 'end' | undefined {
  if (node.kind !== 'action') return undefined;
  const [first] = node.nodes;
  return first?.kind === 'identifier' && (first.name === 'range' || first.name === 'end') ? first.name : undefined;
}

function endOf(nodes: Nodes, from: number): number {
  let depth = 0;
  for (let at = from; at < nodes.length; at++) {
    const keyword = keywordOf(nodes[at]!);
    if (keyword === 'range') depth++;
    else if (keyword === 'end' && --depth === 0) return at;
  }
  return nodes.length;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keys in alphabetical order, so the output does not depend on the server's order. */
function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) && !isNumber(value)
    ? Object.keys(value)
        .sort()
        .map((key) => value[key])
    : [];
}

/** The value and all values in it, without empty values. */
function descendants(value: unknown, found: unknown[] = []): unknown[] {
  if (typeof value === 'string' ? value === '' : childrenOf(value).length === 0) return found;
  found.push(value);
  for (const child of childrenOf(value)) descendants(child, found);
  return found;
}

/** The Go type of a JSON value, as messages name it. */
export function goTypeOf(value: unknown): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  const number = exactNumber(value);
  if (typeof number === 'bigint') return 'int64';
  if (number !== undefined) return Number.isInteger(number) && Math.abs(number) < 2 ** 63 ? 'int64' : 'float64';
  return isObject(value) ? 'map[string]interface {}' : '[]interface {}';
}
