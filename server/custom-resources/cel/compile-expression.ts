import { Environment, ParseError } from '@marcbachmann/cel-js';
import type { Overload } from './cel-function.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  fits,
  INT,
  join,
  listOf,
  MAX_SIZE,
  mapOf,
  NULL,
  STRING,
  TYPE,
  typeText,
  UINT,
} from './cel-type.ts';
import { CelList, type CelValue, EvaluationError, MadeMap, sizeOf, TypeValue, Unsigned } from './cel-value.ts';
import { checkError } from './check-error.ts';
import type { Expression, ExpressionCompiler, Node } from './expression.ts';
import { addMacro, isMacro } from './macros.ts';
import { isTrue, operators } from './operators.ts';
import { functions, guarded } from './overloads.ts';
import { elementOf, fieldOf } from './parts-of-values.ts';
import { Scope, type Variable } from './scope.ts';
import { checkedInt, noOverload } from './standard-functions.ts';

/** Bounds of what is parsed; a rule beyond them is refused when it is defined. */
const MAX_RULE = 100_000;
const parser = new Environment({ limits: { maxAstNodes: 10_000, maxDepth: 100 } });

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ...['bool', 'bytes', 'double', 'int', 'list', 'map', 'null_type', 'string', 'type', 'uint'].map(
    (name): [string, string] => [name, name],
  ),
]);

/** The values of these are known before anything runs. */
const FREE = 0;
const ONE = 1;

/**
 * Parses and checks an expression. Throws a CheckError that says where it is wrong. `variables` are those that it may
 * use; `usesOld` tells whether it asks for `oldSelf`.
 */
export function compileExpression(
  rule: string,
  variables: ReadonlyMap<string, Variable>,
): Expression & { readonly usesOld: boolean } {
  if (rule.length > MAX_RULE) throw checkError('', 0, `expression code point size exceeds limit: ${MAX_RULE}`);
  const compiler = new Compiler(rule);
  let node: Node;
  try {
    node = parser.parse(rule).ast as Node;
  } catch (error) {
    if (error instanceof RangeError) throw checkError(rule, 0, 'Syntax error: max recursion depth exceeded');
    if (!(error instanceof ParseError)) throw error;
    throw checkError(rule, error.range?.start ?? 0, `Syntax error: ${error.summary}`);
  }
  try {
    return { ...compiler.compile(node, new Scope(variables)), usesOld: compiler.usesOld };
  } catch (error) {
    if (error instanceof RangeError) throw checkError(rule, 0, 'Syntax error: max recursion depth exceeded');
    throw error;
  }
}

/** Turns nodes into expressions. */
class Compiler implements ExpressionCompiler {
  usesOld = false;
  readonly #rule: string;

  constructor(rule: string) {
    this.#rule = rule;
  }

  compile(node: Node, scope: Scope): Expression {
    const { args } = node;
    switch (node.op) {
      case 'value':
        return this.#literal(node, args as CelValue);
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
        return this.#list(args as Node[], scope);
      case 'map':
        return this.#map(args as [Node, Node][], scope);
      case '?:':
        return this.#condition(node, args as [Node, Node, Node], scope);
      case '||':
      case '&&':
        return this.#logic(node, args as [Node, Node], scope, node.op === '||');
      case '!_':
        return this.#not(node, args as Node, scope);
      case '-_':
        return this.#negative(node, args as Node, scope);
      default:
        return this.#operator(node, args as [Node, Node], scope);
    }
  }

  error(node: Node, problem: string): Error {
    // of a selection clients are shown the dot
    return checkError(this.#rule, node.op === '.' ? node.pos - 1 : node.pos, problem);
  }

  /** An expression that must be a boolean. */
  condition(node: Node, scope: Scope): Expression {
    const expression = this.compile(node, scope);
    if (!fits(expression.type, BOOL)) {
      throw this.error(node, `expected type 'bool' but found '${typeText(expression.type)}'`);
    }
    return expression;
  }

  #literal(node: Node, raw: unknown): Expression {
    let value = raw as CelValue;
    let type: CelType = STRING;
    if (raw === null) type = NULL;
    else if (typeof raw === 'boolean') type = BOOL;
    else if (typeof raw === 'number') type = DOUBLE;
    else if (raw instanceof Uint8Array) type = BYTES;
    else if (typeof raw === 'bigint') {
      type = INT;
      if (raw > 2n ** 63n - 1n) throw this.error(node, 'invalid int literal');
    } else if (typeof raw !== 'string') {
      type = UINT;
      value = new Unsigned(BigInt(String(raw)));
    }
    const known = value;
    return { type, size: sizeOf(known), cost: FREE, run: () => known };
  }

  #variable(node: Node, name: string, scope: Scope): Expression {
    const found = scope.get(name);
    if (found !== undefined) {
      const { type, size, place } = found;
      if (place === 'self') return { type, size, cost: ONE, run: ({ self }) => self };
      if (place !== 'oldSelf') return { type, size, cost: ONE, run: ({ locals }) => locals[place]! };
      this.usesOld = true;
      return { type, size, cost: ONE, run: ({ oldSelf }) => oldSelf ?? null };
    }
    const typeName = TYPE_NAMES.get(name);
    if (typeName === undefined) {
      throw this.error(node, `undeclared reference to '${name}' (in container '')`);
    }
    const value = new TypeValue(typeName);
    return { type: TYPE, size: 1, cost: FREE, run: () => value };
  }

  /** `of.name` is a field of an object or the value of a key; of `google.protobuf` it is a type. */
  #select(node: Node, [of, name]: [Node, string], scope: Scope): Expression {
    const wellKnown = /^google\.protobuf\.(?:Timestamp|Duration)$/.exec(dotted(node) ?? '')?.[0];
    if (wellKnown !== undefined && scope.get('google') === undefined) {
      const value = new TypeValue(wellKnown);
      return { type: TYPE, size: 1, cost: FREE, run: () => value };
    }
    const object = this.compile(of, scope);
    const { field, type, size } = this.#field(node, object, name);
    return {
      type,
      size,
      cost: object.cost + ONE,
      run: (frame) => {
        frame.budget.charge(ONE);
        const value = fieldOf(object.run(frame), field);
        if (value === undefined) throw new EvaluationError(`no such key: ${name}`);
        return value;
      },
    };
  }

  #field(node: Node, object: Expression, name: string): { field: string; type: CelType; size: number } {
    const { type } = object;
    if (type.kind === 'object') {
      const field = type.fields.get(name);
      if (field === undefined) throw this.error(node, `undefined field '${name}'`);
      return { field: field.name, type: field.type, size: field.size };
    }
    if (type.kind === 'map' && fits(type.key, STRING)) return { field: name, type: type.value, size: type.valueSize };
    if (type.kind === 'dyn') return { field: name, type: DYN, size: MAX_SIZE };
    throw this.error(node, `type '${typeText(type)}' does not support field selection`);
  }

  #index(node: Node, [of, at]: [Node, Node], scope: Scope): Expression {
    const container = this.compile(of, scope);
    const index = this.compile(at, scope);
    const { type } = container;
    const answer =
      type.kind === 'dyn'
        ? DYN
        : type.kind === 'list' && fits(index.type, INT)
          ? type.item
          : type.kind === 'map' && fits(index.type, type.key)
            ? type.value
            : undefined;
    if (answer === undefined) throw this.#noOverload(node, '_[_]', [container, index]);
    return {
      type: answer,
      size: type.kind === 'list' ? type.itemSize : type.kind === 'map' ? type.valueSize : MAX_SIZE,
      cost: container.cost + index.cost + ONE,
      run: (frame) => {
        frame.budget.charge(ONE);
        return elementOf(container.run(frame), index.run(frame));
      },
    };
  }

  #call(node: Node, [name, args]: [string, Node[]], scope: Scope): Expression {
    if (name === 'has') return this.#has(node, args, scope);
    const expressions = args.map((arg) => this.compile(arg, scope));
    return this.#invoke(node, name, functions.get(name), expressions);
  }

  #method(node: Node, [name, of, args]: [string, Node, Node[]], scope: Scope): Expression {
    if (isMacro(name, args)) return addMacro(this, name, { of, args }, scope);
    const expressions = [of, ...args].map((arg) => this.compile(arg, scope));
    return this.#invoke(node, name, functions.get(`.${name}`), expressions);
  }

  #invoke(node: Node, name: string, known: readonly Overload[] | undefined, args: readonly Expression[]): Expression {
    if (known === undefined) throw this.error(node, `undeclared reference to '${name}' (in container '')`);
    const types = args.map(({ type }) => type);
    const fitting = known.flatMap((overload) => {
      const answer = overload.check(types);
      return answer === undefined ? [] : [{ overload, answer }];
    });
    const first = fitting[0];
    if (first === undefined) throw this.#noOverload(node, name, args);
    const { overload } = first;
    const sizes = args.map(({ size }) => size);
    const type = fitting.reduce((all, { answer }) => join(all, answer), first.answer);
    const maybeDyn = types.some(({ kind }) => kind === 'dyn') && overload.name !== 'dyn' && overload.name !== 'type';
    const run = maybeDyn ? guarded(fitting.map((each) => each.overload)) : overload.run;
    return {
      type,
      size: overload.size?.(...sizes) ?? 1,
      cost: args.reduce((total, { cost }) => total + cost, 0) + (overload.cost?.(...sizes) ?? ONE),
      run: (frame) => {
        const values = args.map((arg) => arg.run(frame));
        frame.budget.charge(overload.cost?.(...values.map(sizeOf)) ?? ONE);
        return run(...values);
      },
    };
  }

  #has(node: Node, args: readonly Node[], scope: Scope): Expression {
    const [selection] = args;
    if (args.length !== 1 || selection?.op !== '.') throw this.error(node, 'invalid argument to has() macro');
    const [of, name] = selection.args as unknown as [Node, string];
    const object = this.compile(of, scope);
    const { field } = this.#field(selection, object, name);
    return {
      type: BOOL,
      size: 1,
      cost: object.cost + ONE,
      run: (frame) => {
        frame.budget.charge(ONE);
        return fieldOf(object.run(frame), field) !== undefined;
      },
    };
  }

  #list(args: readonly Node[], scope: Scope): Expression {
    const items = args.map((arg) => this.compile(arg, scope));
    const item = items.length === 0 ? DYN : items.reduce((all, { type }) => join(all, type), items[0]!.type);
    return {
      type: listOf(item),
      size: items.length,
      cost: items.reduce((total, { cost }) => total + cost, 10),
      run: (frame) => {
        frame.budget.charge(10);
        return new CelList(items.map((each) => each.run(frame)));
      },
    };
  }

  #map(args: readonly (readonly [Node, Node])[], scope: Scope): Expression {
    const entries = args.map(([key, value]) => [this.compile(key, scope), this.compile(value, scope)] as const);
    const joined = (side: 0 | 1) =>
      entries.length === 0 ? DYN : entries.reduce((all, entry) => join(all, entry[side].type), entries[0]![side].type);
    return {
      type: mapOf(joined(0), joined(1)),
      size: entries.length,
      cost: entries.flat().reduce((total, { cost }) => total + cost, 30),
      run: (frame) => {
        frame.budget.charge(30);
        return new MadeMap(entries.map(([key, value]) => [key.run(frame), value.run(frame)] as const));
      },
    };
  }

  #condition(node: Node, [test, yes, no]: [Node, Node, Node], scope: Scope): Expression {
    const condition = this.condition(test, scope);
    const [first, second] = [this.compile(yes, scope), this.compile(no, scope)];
    if (!fits(first.type, second.type)) throw this.#noOverload(node, '_?_:_', [condition, first, second]);
    return {
      type: join(first.type, second.type),
      size: Math.max(first.size, second.size),
      cost: condition.cost + Math.max(first.cost, second.cost) + ONE,
      run: (frame) => (isTrue(condition.run(frame)) ? first : second).run(frame),
    };
  }

  /** An operand that decides makes up for an error of the other. */
  #logic(_node: Node, [left, right]: [Node, Node], scope: Scope, decides: boolean): Expression {
    const [first, second] = [this.condition(left, scope), this.condition(right, scope)];
    return {
      type: BOOL,
      size: 1,
      cost: first.cost + second.cost + ONE,
      run: (frame) => {
        let failed: EvaluationError | undefined;
        try {
          if (isTrue(first.run(frame)) === decides) return decides;
        } catch (error) {
          if (!(error instanceof EvaluationError)) throw error;
          failed = error;
        }
        if (isTrue(second.run(frame)) === decides) return decides;
        if (failed !== undefined) throw failed;
        return !decides;
      },
    };
  }

  #not(node: Node, of: Node, scope: Scope): Expression {
    const operand = this.compile(of, scope);
    if (!fits(operand.type, BOOL)) throw this.#noOverload(node, '!_', [operand]);
    return { ...operand, type: BOOL, cost: operand.cost + ONE, run: (frame) => !isTrue(operand.run(frame)) };
  }

  #negative(node: Node, of: Node, scope: Scope): Expression {
    if (of.op === 'value' && typeof of.args === 'bigint') {
      const value = -of.args;
      if (value < -(2n ** 63n)) throw this.error(node, 'invalid int literal');
      return { type: INT, size: 1, cost: FREE, run: () => value };
    }
    const operand = this.compile(of, scope);
    const { type } = operand;
    if (!fits(type, INT) && !fits(type, DOUBLE)) throw this.#noOverload(node, '-_', [operand]);
    return { ...operand, cost: operand.cost + ONE, run: (frame) => negated(operand.run(frame)) };
  }

  #operator(node: Node, [left, right]: [Node, Node], scope: Scope): Expression {
    const operator = operators.get(node.op);
    if (operator === undefined) throw this.error(node, `Syntax error: operator '${node.op}' is not supported`);
    const [first, second] = [this.compile(left, scope), this.compile(right, scope)];
    const type = operator.check(first.type, second.type);
    const name = node.op === 'in' ? '@in' : `_${node.op}_`;
    if (type === undefined) throw this.#noOverload(node, name, [first, second]);
    const { run, cost } = operator;
    const added = node.op === '+';
    return {
      type,
      size: added ? first.size + second.size : 1,
      cost: first.cost + second.cost + walked(cost, first.size, second.size),
      run: (frame) => {
        const [a, b] = [first.run(frame), second.run(frame)];
        frame.budget.charge(cost === 'one' ? ONE : walked(cost, sizeOf(a), sizeOf(b)));
        return run(a, b);
      },
    };
  }

  #noOverload(node: Node, name: string, args: readonly Expression[]): Error {
    const types = args.map(({ type }) => typeText(type)).join(', ');
    return this.error(node, `found no matching overload for '${name}' applied to '(${types})'`);
  }
}

function walked(cost: 'one' | 'shorter' | 'both' | 'right', left: number, right: number): number {
  if (cost === 'right') return ONE + right;
  const size = cost === 'shorter' ? Math.min(left, right) : cost === 'both' ? left + right : 0;
  return Math.max(ONE, Math.ceil(size * 0.1));
}

function negated(value: CelValue): CelValue {
  if (typeof value === 'number') return -value;
  if (typeof value === 'bigint') return checkedInt(-value);
  throw noOverload('-_');
}

/** The text of a path of names; undefined for anything else. */
function dotted(node: Node): string | undefined {
  if (node.op === 'id') return node.args as string;
  if (node.op !== '.') return undefined;
  const [of, name] = node.args as unknown as [Node, string];
  const before = dotted(of);
  return before === undefined ? undefined : `${before}.${name}`;
}
