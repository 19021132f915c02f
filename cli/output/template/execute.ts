import { goText } from '../go-syntax.ts';
import { callFunction, isTrue, LONGEST, TemplateError } from './functions.ts';
import type { Operand, Parsed, Part, Pipeline } from './parse.ts';

export { TemplateError };

/** Templates that include themselves end here. */
const DEEPEST = 100;
/** More than any list of objects needs: templates may have loops in loops. */
const MOST_STEPS = 10_000_000;

/** The text that a template makes of a value. Steps, depth and text are bounded. @throws TemplateError */
export function execute(parsed: Parsed, data: unknown): string {
  return new Execution(parsed).text(data);
}

type Variables = { readonly name: string; value: unknown }[];
type Left = 'break' | 'continue' | undefined;

class Execution {
  readonly #parsed: Parsed;
  #out: string[] = [];
  #length = 0;
  #depth = 0;
  #steps = 0;

  constructor(parsed: Parsed) {
    this.#parsed = parsed;
  }

  text(data: unknown): string {
    this.#parts(this.#parsed.parts, data, [{ name: '$', value: data }]);
    return this.#out.join('');
  }

  #step(): void {
    if (++this.#steps > MOST_STEPS) throw new TemplateError('the template takes too many steps');
  }

  #write(text: string): void {
    this.#out.push(text);
    this.#length += text.length;
    if (this.#length > LONGEST) throw new TemplateError('the output is too long');
  }

  #parts(parts: readonly Part[], dot: unknown, variables: Variables): Left {
    const known = variables.length;
    for (const part of parts) {
      this.#step();
      const left = this.#part(part, dot, variables);
      if (left !== undefined) {
        variables.length = known;
        return left;
      }
    }
    variables.length = known;
    return undefined;
  }

  #part(part: Part, dot: unknown, variables: Variables): Left {
    switch (part.kind) {
      case 'text':
        this.#write(part.text);
        return undefined;
      case 'output': {
        const value = this.#pipeline(part.pipeline, dot, variables);
        if (part.pipeline.variables.length === 0)
          this.#write(value === undefined || value === null ? '<no value>' : goText(value));
        return undefined;
      }
      case 'if':
      case 'with': {
        const known = variables.length;
        const value = this.#pipeline(part.pipeline, dot, variables);
        const left = isTrue(value)
          ? this.#parts(part.body, part.kind === 'with' ? value : dot, variables)
          : this.#parts(part.otherwise, dot, variables);
        variables.length = known;
        return left;
      }
      case 'range':
        this.#range(part, dot, variables);
        return undefined;
      case 'template': {
        const body = this.#parsed.defined.get(part.name);
        if (body === undefined) throw new TemplateError(`template ${JSON.stringify(part.name)} not defined`);
        if (++this.#depth > DEEPEST) throw new TemplateError('exceeded maximum template depth');
        const value = part.pipeline === undefined ? undefined : this.#pipeline(part.pipeline, dot, variables);
        this.#parts(body, value, [{ name: '$', value }]);
        this.#depth--;
        return undefined;
      }
      default:
        return part.kind;
    }
  }

  #range(
    { pipeline, body, otherwise }: Extract<Part, { pipeline: Pipeline; body: readonly Part[] }>,
    dot: unknown,
    variables: Variables,
  ): void {
    const value = this.#pipeline({ ...pipeline, variables: [] }, dot, variables);
    const names = pipeline.variables;
    let isEmpty = true;
    for (const [key, item] of entriesOf(value)) {
      isEmpty = false;
      this.#step();
      const known = variables.length;
      if (names.length === 1) variables.push({ name: names[0]!, value: item });
      if (names.length === 2) variables.push({ name: names[0]!, value: key }, { name: names[1]!, value: item });
      const left = this.#parts(body, item, variables);
      variables.length = known;
      if (left === 'break') return;
    }
    if (isEmpty) this.#parts(otherwise, dot, variables);
  }

  #pipeline({ commands, variables: names, assigns }: Pipeline, dot: unknown, variables: Variables): unknown {
    let value: unknown;
    commands.forEach((command, at) => {
      value = this.#command(command, dot, variables, at === 0 ? [] : [value]);
    });
    for (const name of names) {
      const there = assigns ? variables.findLast((variable) => variable.name === name) : undefined;
      if (there !== undefined) there.value = value;
      else variables.push({ name, value });
    }
    return value;
  }

  #command(command: readonly Operand[], dot: unknown, variables: Variables, last: readonly unknown[]): unknown {
    const [first, ...rest] = command;
    if (first!.kind === 'function') {
      const { name } = first!;
      const lazy = rest.map((operand) => () => this.#operand(operand, dot, variables));
      return callFunction(name, [...lazy, ...last.map((value) => () => value)]);
    }
    if (rest.length > 0 || last.length > 0) throw new TemplateError("can't give argument to non-function");
    return this.#operand(first!, dot, variables);
  }

  #operand(operand: Operand, dot: unknown, variables: Variables): unknown {
    switch (operand.kind) {
      case 'value':
        return operand.value;
      case 'field':
        return fields(dot, operand.names);
      case 'variable': {
        const found = variables.findLast(({ name }) => name === operand.variable);
        if (found === undefined) throw new TemplateError(`undefined variable ${JSON.stringify(operand.variable)}`);
        return fields(found.value, operand.names);
      }
      case 'function':
        return callFunction(operand.name, []);
      default:
        return fields(this.#pipeline(operand.pipeline, dot, variables), operand.names);
    }
  }
}

function fields(value: unknown, names: readonly string[]): unknown {
  let current = value;
  for (const name of names) {
    if (current === undefined || current === null) return undefined;
    if (typeof current !== 'object' || Array.isArray(current))
      throw new TemplateError(
        `can't evaluate field ${name} in type ${Array.isArray(current) ? '[]interface {}' : typeof current}`,
      );
    current = Object.hasOwn(current, name) ? (current as Readonly<Record<string, unknown>>)[name] : undefined;
  }
  return current;
}

function entriesOf(value: unknown): Iterable<[unknown, unknown]> {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((item, at) => [at, item]);
  if (typeof value === 'number') return countTo(value);
  if (typeof value === 'object') return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  throw new TemplateError(`range can't iterate over ${goText(value)}`);
}

function* countTo(end: number): Generator<[number, number]> {
  for (let at = 0; at < end; at++) yield [at, at];
}
