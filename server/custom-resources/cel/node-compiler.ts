import { patternProblem } from '../schema/patterns.ts';
import { listNode, literalNode, mapNode } from './aggregates.ts';
import type { Overload } from './cel-function.ts';
import { BOOL, type CelType, DOUBLE, DYN, fits, fitsBeside, INT, join, STRING, TYPE, typeText } from './cel-type.ts';
import { type CelValue, EvaluationError, TypeValue } from './cel-value.ts';
import { checkError } from './check-error.ts';
import type { Evaluation, Expression, ExpressionCompiler, Node } from './expression.ts';
import { addMacro, isMacro } from './macros.ts';
import { positionOf } from './node-positions.ts';
import { isTrue, operators } from './operators.ts';
import { fittingOverload, functions } from './overloads.ts';
import { elementOf, fieldOf, isField } from './parts-of-values.ts';
import type { Respelled } from './respelled.ts';
import type { Scope, Variable } from './scope.ts';
import { capped, estimatedSize, exactly, partOf, type Size, type Sized } from './sizes.ts';
import { checkedInt, conversions, noOverload } from './standard-functions.ts';

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ...['bool', 'bytes', 'double', 'int', 'list', 'map', 'null_type', 'string', 'type', 'uint'].map(
    (name): [string, string] => [name, name],
  ),
]);

/** What one simple step costs. */
const ONE = 1;

/**
 * Turns the nodes of one rule into expressions: checks their types, and estimates what a run costs. `usesOld` and
 * `hopeless` are known when all nodes are compiled.
 */
export class NodeCompiler implements ExpressionCompiler {
  usesOld = false;
  hopeless: string | undefined;
  readonly root: Sized;
  readonly #rule: string;
  readonly #known: Respelled;

  constructor(rule: string, known: Respelled, root: Sized) {
    this.#rule = rule;
    this.#known = known;
    this.root = root;
  }

  compile(node: Node, scope: Scope): Expression {
    const { args } = node;
    switch (node.op) {
      case 'value':
        return literalNode(this, node, args);
      case 'id':
        return this.#variable(node, args as string, scope);
      case '.':
        return this.#select(node, args as [Node, string], scope);
      case '[]':
        return this.#index(node, args as [Node, Node], scope);
      case 'call':
        return this.#call(node, args as [string, Node[]], scope);
      case 'rcall':
        return this.#method(node, args as [string, Node, Node[]], scope);
      case 'list':
        return listNode(this, args as Node[], scope);
      case 'map':
        return mapNode(this, args as [Node, Node][], scope);
      case '?:':
        return this.#condition(node, args as [Node, Node, Node], scope);
      case '||':
      case '&&':
        return this.#logic(node, args as [Node, Node], scope);
      case '!_':
        return this.#not(node, args as Node, scope);
      case '-_':
        return this.#negative(node, args as Node, scope);
      default:
        return this.#operator(node, args as [Node, Node], scope);
    }
  }

  error(node: Node, problem: string): Error {
    return checkError(this.#rule, this.#known.origin(positionOf(this.#known.text, node)), problem);
  }

  #variable(node: Node, name: string, scope: Scope): Expression {
    const found = scope.get(name);
    if (found !== undefined) {
      const { type, place, slot } = found;
      const known = { type, place, cost: ONE };
      this.usesOld ||= slot === 'oldSelf';
      const read = reader(slot);
      return {
        ...known,
        run: (evaluation) => {
          evaluation.budget.charge(ONE);
          return read(evaluation);
        },
      };
    }
    const typeName = TYPE_NAMES.get(name);
    if (typeName === undefined) throw this.error(node, `undeclared reference to '${name}' (in container '')`);
    return this.#typeNamed(typeName);
  }

  #typeNamed(name: string): Expression {
    const value = new TypeValue(name);
    return { type: TYPE, place: this.root, cost: ONE, run: () => value };
  }

  /** `of.name` is a field of an object or the value of a key; of `google.protobuf` it is a type. */
  #select(node: Node, [of, name]: [Node, string], scope: Scope): Expression {
    const wellKnown = /^google\.protobuf\.(?:Timestamp|Duration)$/.exec(dotted(node) ?? '')?.[0];
    if (wellKnown !== undefined && scope.get('google') === undefined) return this.#typeNamed(wellKnown);
    const object = this.compile(of, scope);
    const { field, type } = this.#field(node, object, name);
    return {
      type,
      place: partOf(object.place, object.type.kind === 'object' ? { field: name } : 'element', this.root),
      cost: object.cost + (object.type.kind === 'dyn' ? 0 : ONE),
      run: (evaluation) => {
        const value = fieldOf(object.run(evaluation), field);
        if (value === undefined) throw new EvaluationError(`no such key: ${name}`);
        return charged(evaluation, value);
      },
    };
  }

  #field(node: Node, { type }: Expression, name: string): { field: string; type: CelType } {
    if (type.kind === 'object') {
      const field = type.fields.get(name);
      if (field === undefined) throw this.error(node, `undefined field '${name}'`);
      return { field: field.name, type: field.type };
    }
    if (type.kind === 'map' && fits(type.key, STRING)) return { field: name, type: type.value };
    if (type.kind === 'dyn') return { field: name, type: DYN };
    throw this.error(node, `type '${typeText(type)}' does not support field selection`);
  }

  #index(node: Node, [of, at]: [Node, Node], scope: Scope): Expression {
    const container = this.compile(of, scope);
    const index = this.compile(at, scope);
    const answer = indexed(container.type, index.type);
    if (answer === undefined) throw this.#noOverload(node, '_[_]', [container, index]);
    if (index.constant?.value === null) this.hopeless ??= 'invalid qualifier type: null';
    return {
      type: answer,
      place: partOf(container.place, 'element', this.root),
      cost: container.cost + index.cost + ONE,
      run: (evaluation) => charged(evaluation, elementOf(container.run(evaluation), index.run(evaluation))),
    };
  }

  #call(node: Node, [name, args]: [string, Node[]], scope: Scope): Expression {
    if (name === 'has') return this.#has(node, args, scope);
    const expressions = args.map((arg) => this.compile(arg, scope));
    return this.#invoke(node, name, functions.get(name), expressions);
  }

  #method(node: Node, [name, of, args]: [string, Node, Node[]], scope: Scope): Expression {
    if (isMacro(name, args)) return addMacro(this, name, { node, of, args }, scope);
    const expressions = [of, ...args].map((arg) => this.compile(arg, scope));
    return this.#invoke(node, name, functions.get(`.${name}`), expressions);
  }

  #invoke(node: Node, name: string, known: readonly Overload[] | undefined, args: readonly Expression[]): Expression {
    if (known === undefined && !functions.has(name) && !functions.has(`.${name}`)) {
      throw this.error(node, `undeclared reference to '${name}' (in container '')`);
    }
    const types = args.map(({ type }) => type);
    const fitting = (known ?? []).flatMap((overload) => {
      const answer = overload.check(types);
      return answer === undefined ? [] : [{ overload, answer }];
    });
    const first = fitting[0];
    if (first === undefined) throw this.#noOverload(node, name, args, node.op === 'rcall');
    const overloads = fitting.map(({ overload }) => overload);
    const folded = this.#folded(name, first.overload, args);
    const choose = overloads.length > 1 || types.some(({ kind }) => kind === 'dyn');
    return {
      type: fitting.reduce((all, { answer }) => join(all, answer), first.answer),
      ...(folded !== undefined && { constant: folded }),
      ...(overloads.length === 1 && first.overload.answer !== undefined && { place: first.overload.answer(...args) }),
      cost: capped(
        args.reduce((total, { cost }) => total + cost, 0) +
          Math.max(...overloads.map(({ estimate }) => estimate?.(...args) ?? ONE)),
      ),
      run: (evaluation) => {
        const values = args.map((arg) => arg.run(evaluation));
        const overload = choose ? fittingOverload(overloads, values) : first.overload;
        if (overload.charge === undefined) evaluation.budget.charge(ONE);
        else overload.charge(evaluation.budget, ...values);
        return overload.run(...values);
      },
    };
  }

  /** Conversions of what is spelt out are made once, and patterns read: one that fails makes the rule hopeless. */
  #folded(name: string, overload: Overload, args: readonly Expression[]): Expression['constant'] {
    const [first, second] = args;
    if (overload.takesPattern === true && typeof second?.constant?.value === 'string') {
      this.hopeless ??= patternProblem(second.constant.value);
    }
    if (!conversions.has(name) || args.length !== 1 || first?.constant === undefined) return undefined;
    try {
      return { value: overload.run(first.constant.value) };
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      this.hopeless ??= error.message;
      return undefined;
    }
  }

  #has(node: Node, args: readonly Node[], scope: Scope): Expression {
    const [selection] = args;
    if (args.length !== 1 || selection?.op !== '.') throw this.error(node, 'invalid argument to has() macro');
    const [of, name] = selection.args as unknown as [Node, string];
    const object = this.compile(of, scope);
    const { field } = this.#field(node, object, name);
    return {
      type: BOOL,
      cost: 0,
      run: (evaluation) => {
        evaluation.budget.charge(ONE);
        return isField(object.run(evaluation), field);
      },
    };
  }

  #condition(node: Node, [test, yes, no]: [Node, Node, Node], scope: Scope): Expression {
    const condition = this.compile(test, scope);
    const [first, second] = [this.compile(yes, scope), this.compile(no, scope)];
    if (!fits(condition.type, BOOL) || !fitsBeside(second.type, first.type))
      throw this.#noOverload(node, '_?_:_', [condition, first, second]);
    return {
      type: join(first.type, second.type),
      known: eitherSize(estimatedSize(first), estimatedSize(second)),
      cost: capped(condition.cost + Math.max(first.cost, second.cost)),
      run: (evaluation) => {
        evaluation.budget.charge(ONE);
        return (isTrue(condition.run(evaluation)) ? first : second).run(evaluation);
      },
    };
  }

  /** An operand that decides makes up for an error of the other. */
  #logic(node: Node, [left, right]: [Node, Node], scope: Scope): Expression {
    const [first, second] = [this.compile(left, scope), this.compile(right, scope)];
    if (!fits(first.type, BOOL) || !fits(second.type, BOOL)) {
      throw this.#noOverload(node, `_${node.op}_`, [first, second]);
    }
    const decides = node.op === '||';
    return {
      type: BOOL,
      cost: capped(first.cost + second.cost),
      run: (evaluation) => {
        evaluation.budget.charge(ONE);
        let failed: EvaluationError | undefined;
        try {
          if (isTrue(first.run(evaluation)) === decides) return decides;
        } catch (error) {
          if (!(error instanceof EvaluationError)) throw error;
          failed = error;
        }
        if (isTrue(second.run(evaluation)) === decides) return decides;
        if (failed !== undefined) throw failed;
        return !decides;
      },
    };
  }

  #not(node: Node, of: Node, scope: Scope): Expression {
    const operand = this.compile(of, scope);
    if (!fits(operand.type, BOOL)) throw this.#noOverload(node, '!_', [operand]);
    return {
      type: BOOL,
      cost: operand.cost + ONE,
      run: (evaluation) => {
        evaluation.budget.charge(ONE);
        return !isTrue(operand.run(evaluation));
      },
    };
  }

  #negative(node: Node, of: Node, scope: Scope): Expression {
    if (of.op === 'value' && typeof of.args === 'bigint') {
      const value = -of.args;
      if (value < -(2n ** 63n)) throw this.error(node, 'invalid int literal');
      return { type: INT, known: exactly(1), constant: { value }, cost: 0, run: () => value };
    }
    const operand = this.compile(of, scope);
    const { type, constant } = operand;
    if (!fits(type, INT) && !fits(type, DOUBLE)) throw this.#noOverload(node, '-_', [operand]);
    return {
      type,
      ...(of.op === 'value' && constant !== undefined && { constant: { value: negated(constant.value) } }),
      cost: operand.cost + ONE,
      run: (evaluation) => {
        evaluation.budget.charge(ONE);
        return negated(operand.run(evaluation));
      },
    };
  }

  #operator(node: Node, [left, right]: [Node, Node], scope: Scope): Expression {
    const operator = operators.get(node.op);
    if (operator === undefined) throw this.error(node, `Syntax error: operator '${node.op}' is not supported`);
    const [first, second] = [this.compile(left, scope), this.compile(right, scope)];
    const type = operator.check(first.type, second.type);
    const name = node.op === 'in' ? '@in' : `_${node.op}_`;
    if (type === undefined) throw this.#noOverload(node, name, [first, second]);
    const { run, charge, estimate, size } = operator;
    const known = size?.(first, second);
    return {
      type,
      ...(known !== undefined && { known }),
      cost: capped(first.cost + second.cost + (estimate?.(first, second) ?? ONE)),
      run: (evaluation) => {
        const [a, b] = [first.run(evaluation), second.run(evaluation)];
        if (charge === undefined) evaluation.budget.charge(ONE);
        else charge(evaluation.budget, a, b);
        return run(a, b);
      },
    };
  }

  #noOverload(node: Node, name: string, args: readonly Expression[], isMethod = false): Error {
    const types = args.map(({ type }) => typeText(type));
    const of = isMethod ? `${types.shift()}.` : '';
    return this.error(node, `found no matching overload for '${name}' applied to '${of}(${types.join(', ')})'`);
  }
}

/** Reads a variable. */
function reader(slot: Variable['slot']): (evaluation: Evaluation) => CelValue {
  if (slot === 'self') return ({ self }) => self;
  return slot === 'oldSelf' ? ({ oldSelf }) => oldSelf ?? null : ({ locals }) => locals[slot]!;
}

/** What a list or map of a type has at an index of a type; undefined where it has nothing. */
function indexed(of: CelType, at: CelType): CelType | undefined {
  if (of.kind === 'dyn') return DYN;
  if (of.kind === 'list') return fits(at, INT) ? of.item : undefined;
  return of.kind === 'map' && fits(at, of.key) ? of.value : undefined;
}

/** A part of a value that was read: bytes are decoded each time. */
function charged({ budget }: Evaluation, value: CelValue): CelValue {
  if (value instanceof Uint8Array) budget.chargeText(value.length);
  else budget.charge(ONE);
  return value;
}

function eitherSize(a: Size, b: Size): Size {
  return { least: Math.min(a.least, b.least), most: Math.max(a.most, b.most) };
}

function negated(value: CelValue): CelValue {
  if (typeof value === 'number') return -value;
  if (typeof value === 'bigint') return checkedInt(-value);
  throw noOverload();
}

/** The text of a path of names; undefined for anything else. */
function dotted(node: Node): string | undefined {
  if (node.op === 'id') return node.args as string;
  if (node.op !== '.') return undefined;
  const [of, name] = node.args as unknown as [Node, string];
  const before = dotted(of);
  return before === undefined ? undefined : `${before}.${name}`;
}
