import { goText } from '../go-syntax.ts';
import { ANYTHING, callFunction, type Held, held, isTrue, LONGEST, signatureOf, TemplateError } from './functions.ts';
import { type Command, type Include, type Operand, type Parsed, type Part, type Pipeline, written } from './node.ts';

/** The largest depth of inclusions. It ends templates that include themselves. */
const DEEPEST = 100;
/** The largest number of steps. Templates may have nested loops, but real lists need fewer steps. */
const MOST_STEPS = 10_000_000;

export interface ExecuteOptions {
  /** Whether a missing field has no value. Otherwise it is an error. */
  readonly allowMissing?: boolean;
}

/** The result of a template. If there is an error, the text ends before it. */
export interface Executed {
  readonly text: string;
  /** The error with its place in the template, such as `template: output:1:2: executing "output" at <.x>: …`. */
  readonly mistake?: string;
}

/** The text that a template makes from a value. The numbers of steps, nested parts and characters are limited. */
export function execute(parsed: Parsed, data: unknown, options: ExecuteOptions = {}): Executed {
  return new Execution(parsed, options.allowMissing ?? true).run(data);
}

type Variables = { readonly name: string; held: Held }[];
type Left = 'break' | 'continue' | undefined;

class Execution {
  readonly #parsed: Parsed;
  readonly #allowMissing: boolean;
  #out: string[] = [];
  #length = 0;
  #depth = 0;
  #steps = 0;
  /** The name of the running template. */
  #name = 'output';
  #node: Operand | Command | Include | undefined;

  constructor(parsed: Parsed, allowMissing: boolean) {
    this.#parsed = parsed;
    this.#allowMissing = allowMissing;
  }

  run(data: unknown): Executed {
    const dot = held(data);
    try {
      this.#parts(this.#parsed.parts, dot, [{ name: '$', held: dot }]);
      return { text: this.#out.join('') };
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      return { text: this.#out.join(''), mistake: `template: ${this.#place()}: ${error.message}` };
    }
  }

  #place(): string {
    const node = this.#node;
    if (node === undefined) return 'output';
    const before = this.#parsed.text.slice(0, node.at);
    const column = Buffer.byteLength(before.slice(before.lastIndexOf('\n') + 1));
    return `output:${before.split('\n').length}:${column}: executing ${JSON.stringify(this.#name)} at <${written(node)}>`;
  }

  #step(): void {
    if (++this.#steps > MOST_STEPS) throw new TemplateError('the template takes too many steps');
  }

  #write(text: string): void {
    this.#out.push(text);
    this.#length += text.length;
    if (this.#length > LONGEST) throw new TemplateError('the output is too long');
  }

  #parts(parts: readonly Part[], dot: Held, variables: Variables): Left {
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

  #part(part: Part, dot: Held, variables: Variables): Left {
    switch (part.kind) {
      case 'text':
        this.#write(part.text);
        return undefined;
      case 'output': {
        const { value } = this.#pipeline(part.pipeline, dot, variables);
        if (part.pipeline.variables.length === 0)
          this.#write(value === undefined || value === null ? '<no value>' : goText(value));
        return undefined;
      }
      case 'if':
      case 'with': {
        const known = variables.length;
        const tested = this.#pipeline(part.pipeline, dot, variables);
        const left = isTrue(tested.value)
          ? this.#parts(part.body, part.kind === 'with' ? tested : dot, variables)
          : this.#parts(part.otherwise, dot, variables);
        variables.length = known;
        return left;
      }
      case 'range':
        return this.#range(part, dot, variables);
      case 'template':
        this.#include(part, dot, variables);
        return undefined;
      default:
        return part.kind;
    }
  }

  #include(part: Include, dot: Held, variables: Variables): void {
    this.#node = part;
    const body = this.#parsed.defined.get(part.name);
    if (body === undefined) throw new TemplateError(`template ${JSON.stringify(part.name)} not defined`);
    if (this.#depth >= DEEPEST) throw new TemplateError(`exceeded maximum template depth (${DEEPEST})`);
    const data = part.pipeline === undefined ? held(undefined) : this.#pipeline(part.pipeline, dot, variables);
    const outer = this.#name;
    this.#name = part.name;
    this.#depth++;
    this.#parts(body, data, [{ name: '$', held: data }]);
    this.#depth--;
    this.#name = outer;
  }

  #range(
    { pipeline, body, otherwise }: Extract<Part, { pipeline: Pipeline; body: readonly Part[] }>,
    dot: Held,
    variables: Variables,
  ): Left {
    const { value } = this.#pipeline({ ...pipeline, variables: [] }, dot, variables);
    const names = pipeline.variables;
    let isEmpty = true;
    for (const [key, item] of entriesOf(value)) {
      isEmpty = false;
      this.#step();
      const known = variables.length;
      const values = names.length === 1 ? [item] : [key, item];
      for (const [at, name] of names.entries()) this.#set(variables, name, values[at]!, pipeline.assigns);
      const left = this.#parts(body, item, variables);
      variables.length = known;
      if (left === 'break') return undefined;
    }
    return isEmpty ? this.#parts(otherwise, dot, variables) : undefined;
  }

  #set(variables: Variables, name: string, value: Held, assigns: boolean): void {
    const there = assigns ? variables.findLast((variable) => variable.name === name) : undefined;
    if (there === undefined) variables.push({ name, held: value });
    else there.held = value;
  }

  #pipeline({ commands, variables: names, assigns }: Pipeline, dot: Held, variables: Variables): Held {
    let last: Held | undefined;
    for (const command of commands) {
      const { value, type } = this.#command(command, dot, variables, last);
      // A value of an `any` place now has its own type.
      last = type === ANYTHING ? held(value) : { value, type };
    }
    for (const name of names) this.#set(variables, name, last!, assigns);
    return last!;
  }

  #command(command: Command, dot: Held, variables: Variables, last: Held | undefined): Held {
    const [first, ...rest] = command.words as [Operand, ...Operand[]];
    const isCalled = rest.length > 0 || last !== undefined;
    if (first.kind === 'function') return this.#call(first.name, first, command, rest, dot, variables, last);
    if ((first.kind === 'field' || first.kind === 'variable' || first.kind === 'chain') && first.names.length > 0)
      return this.#fields(first, dot, variables, isCalled);
    this.#node = first;
    if (isCalled) throw new TemplateError(`can't give argument to non-function ${written(first)}`);
    if (first.kind === 'nil') throw new TemplateError('nil is not a command');
    return this.#operand(first, dot, variables);
  }

  #call(
    name: string,
    place: Operand,
    command: Command | Operand,
    words: readonly Operand[],
    dot: Held,
    variables: Variables,
    last: Held | undefined,
  ): Held {
    this.#node = place;
    const count = words.length + (last === undefined ? 0 : 1);
    const { least, most, texts } = signatureOf(name);
    if (count < least || count > most)
      throw new TemplateError(
        `wrong number of args for ${name}: want ${most === Number.POSITIVE_INFINITY ? 'at least ' : ''}${least} got ${count}`,
      );
    const lazy = words.map((word, at) => () => {
      if (at >= texts) return this.#operand(word, dot, variables);
      this.#node = word;
      if (['number', 'bool', 'nil'].includes(word.kind))
        throw new TemplateError(`expected string; found ${written(word)}`);
      return this.#operand(word, dot, variables);
    });
    if (last !== undefined) lazy.push(() => last);
    return callFunction(name, lazy, words.map(written), () => {
      this.#node = command;
    });
  }

  #operand(operand: Operand, dot: Held, variables: Variables): Held {
    this.#node = operand;
    switch (operand.kind) {
      case 'number':
      case 'string':
      case 'bool':
        return { value: operand.value, type: operand.kind === 'number' ? operand.type : operand.kind };
      case 'nil':
        return held(undefined);
      case 'dot':
        return dot;
      case 'function':
        return this.#call(operand.name, operand, operand, [], dot, variables, undefined);
      case 'pipeline':
        return this.#pipeline(operand, dot, variables);
      default:
        return this.#fields(operand, dot, variables, false);
    }
  }

  /** @param isCalled whether it has arguments, which nothing accepts here */
  #fields(
    operand: Extract<Operand, { readonly names: readonly string[] }>,
    dot: Held,
    variables: Variables,
    isCalled: boolean,
  ): Held {
    this.#node = operand;
    let current = dot;
    if (operand.kind === 'variable')
      current = variables.findLast(({ name }) => name === operand.variable)?.held ?? held(undefined);
    if (operand.kind === 'chain') {
      if (operand.of.kind === 'nil') throw new TemplateError(`indirection through explicit nil in ${written(operand)}`);
      current = this.#operand(operand.of, dot, variables);
    }
    for (const [at, name] of operand.names.entries())
      current = this.#field(current, name, isCalled && at === operand.names.length - 1);
    return current;
  }

  #field({ value, type }: Held, name: string, isCalled: boolean): Held {
    if (value === undefined) {
      if (!this.#allowMissing) throw new TemplateError(`nil data; no entry for key ${JSON.stringify(name)}`);
      return held(undefined);
    }
    if (value === null) throw new TemplateError(`nil pointer evaluating ${type}.${name}`);
    if (typeof value !== 'object' || Array.isArray(value))
      throw new TemplateError(`can't evaluate field ${name} in type ${type}`);
    if (isCalled) throw new TemplateError(`${name} is not a method but has arguments`);
    if (Object.hasOwn(value, name)) return { value: (value as Record<string, unknown>)[name], type: ANYTHING };
    if (!this.#allowMissing) throw new TemplateError(`map has no entry for key ${JSON.stringify(name)}`);
    return held(undefined);
  }
}

function* entriesOf(value: unknown): Generator<[Held, Held]> {
  if (value === undefined || value === null) return;
  if (Array.isArray(value))
    for (const [at, item] of value.entries())
      yield [
        { value: at, type: 'int' },
        { value: item, type: ANYTHING },
      ];
  else if (typeof value === 'object')
    for (const [key, item] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      yield [held(key), { value: item as unknown, type: ANYTHING }];
  else throw new TemplateError(`range can't iterate over ${goText(value)}`);
}
