import { hasNode, indexNode, optionalSelectNode, selectNode } from './access-nodes.ts';
import { listNode, literalNode, mapNode } from './aggregates.ts';
import type { Overload } from './cel-function.ts';
import { BOOL, DOUBLE, fits, fitsBeside, INT, join, TYPE, typeText } from './cel-type.ts';
import { type CelValue, EvaluationError, TypeValue } from './cel-value.ts';
import { CheckError, checkError } from './check-error.ts';
import type { ExpressionEnvironment } from './environment.ts';
import type { Evaluation, Expression, ExpressionCompiler, Node } from './expression.ts';
import { checkedInt, conversions, noOverload } from './libraries/standard-functions.ts';
import { messageNode } from './message-node.ts';
import { positionOf } from './node-positions.ts';
import { isTrue } from './operators.ts';
import { fallbackNode } from './optional-nodes.ts';
import { fittingOverload } from './overloads.ts';
import type { Respelled } from './respelled.ts';
import type { Scope, Variable } from './scope.ts';
import { capped, eitherSize, estimatedSize, exactly, type Sized } from './sizes.ts';
import { patternProblem } from './texts/patterns.ts';

/** The cost of one simple step. */
const ONE = 1;

/**
 * Turns the nodes of one rule into expressions. It checks their types, and estimates the cost of a run. `usesOld` and
 * `hopeless` are known when all nodes are compiled.
 */
export class NodeCompiler implements ExpressionCompiler {
  usesOld = false;
  hopeless: string | undefined;
  readonly root: Sized;
  readonly environment: ExpressionEnvironment;
  mixesItems = false;
  readonly #rule: string;
  readonly #known: Respelled;

  constructor(rule: string, known: Respelled, root: Sized, environment: ExpressionEnvironment) {
    this.environment = environment;
    this.#rule = rule;
    this.#known = known;
    this.root = root;
  }

  get optionalMarks(): readonly number[] {
    return this.#known.optionalMarks;
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
      case '[?]':
        return indexNode(this, node, scope);
      case '.?':
        return optionalSelectNode(this, node, scope);
      case 'call':
        return this.#call(node, args as [string, Node[]], scope);
      case 'rcall':
        return this.#method(node, args as [string, Node, Node[]], scope);
      case 'list':
        return listNode(this, node, scope);
      case 'map':
        return mapNode(this, node, scope);
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

  giveUp(problem: string): void {
    this.hopeless ??= problem;
  }

  error(node: Node, problem: string): Error {
    const at = positionOf(this.#known.text, this.#fieldsOf(node) ?? node);
    return checkError(this.#rule, this.#known.origin(at), problem);
  }

  /** The fields of a message, which the parser reads as a call with a map; undefined for any other node. */
  #fieldsOf(node: Node): Node | undefined {
    if (node.op !== 'rcall') return undefined;
    const [, , [fields]] = node.args as unknown as [string, Node, Node[]];
    return fields?.op === 'map' && this.#known.messageFields.has(fields.pos) ? fields : undefined;
  }

  #variable(node: Node, name: string, scope: Scope): Expression {
    const found = scope.get(name);
    if (found !== undefined) {
      const { type, place, slot } = found;
      const known = { type, place, cost: ONE };
      this.usesOld ||= slot === 'oldSelf';
      const read = reader(slot, name);
      return {
        ...known,
        run: (evaluation) => {
          evaluation.budget.charge(ONE);
          return read(evaluation);
        },
      };
    }
    if (!this.environment.typeNames.has(name)) throw this.#undeclared(node, name);
    return this.#typeNamed(name);
  }

  #typeNamed(name: string): Expression {
    const value = new TypeValue(name);
    return { type: TYPE, place: this.root, cost: ONE, run: () => value };
  }

  /** `of.name` is a field of an object or the value of a key. A path may also be the name of a type or variable. */
  #select(node: Node, [of, name]: [Node, string], scope: Scope): Expression {
    const path = dotted(node) ?? '';
    if (scope.get(path) !== undefined) return this.#variable(node, path, scope);
    if (this.environment.typeNames.has(path) && scope.get(path.split('.', 1)[0]!) === undefined) {
      return this.#typeNamed(path);
    }
    return selectNode(this, node, this.compile(of, scope), name);
  }

  #call(node: Node, [name, args]: [string, Node[]], scope: Scope): Expression {
    if (name === 'has') return hasNode(this, node, scope);
    const expressions = args.map((arg) => this.compile(arg, scope));
    return this.#invoke(node, name, this.environment.functions.get(name), expressions);
  }

  #method(node: Node, [name, of, args]: [string, Node, Node[]], scope: Scope): Expression {
    const { functions, macros, hasOptionals } = this.environment;
    const fields = this.#fieldsOf(node);
    if (fields !== undefined) return messageNode(this, dotted(of), fields, scope);
    const macro = macros.get(`${name}/${args.length}`);
    if (macro !== undefined) return macro.compile(this, { node, of, args }, scope);
    const qualified = `${dotted(of)}.${name}`;
    const inNamespace = functions.get(qualified);
    if (inNamespace !== undefined) {
      const given = args.map((arg) => this.compile(arg, scope));
      return this.#invoke(node, qualified, inNamespace, given, false);
    }
    if (hasOptionals && args.length === 1 && (name === 'or' || name === 'orValue')) {
      return fallbackNode(this, node, [name, of, args[0]!], scope);
    }
    const known = functions.get(`.${name}`);
    const mixed = this.mixesItems;
    this.mixesItems ||= known?.some(({ mixesItems }) => mixesItems === true) === true;
    const expressions = this.#compileParts(node, name, [of, ...args], scope);
    this.mixesItems = mixed;
    return this.#invoke(node, name, known, expressions);
  }

  /**
   * Compiles the receiver and the arguments of a method. If the method is unknown as well, it reports both problems.
   */
  #compileParts(node: Node, name: string, parts: readonly Node[], scope: Scope): Expression[] {
    try {
      return parts.map((part) => this.compile(part, scope));
    } catch (error) {
      const { functions } = this.environment;
      if (!(error instanceof CheckError) || functions.has(name) || functions.has(`.${name}`)) throw error;
      throw new CheckError(`${error.message}\n${this.#undeclared(node, name).message}`);
    }
  }

  #undeclared(node: Node, name: string): Error {
    return this.error(node, `undeclared reference to '${name}' (in container '')`);
  }

  #invoke(
    node: Node,
    name: string,
    known: readonly Overload[] | undefined,
    args: readonly Expression[],
    isMethod = node.op === 'rcall',
  ): Expression {
    const { functions } = this.environment;
    if (known === undefined && !functions.has(name) && !functions.has(`.${name}`)) throw this.#undeclared(node, name);
    const types = args.map(({ type }) => type);
    const fitting = (known ?? []).flatMap((overload) => {
      const answer = overload.check(types);
      return answer === undefined ? [] : [{ overload, answer }];
    });
    const first = fitting[0];
    if (first === undefined) throw this.noOverload(node, name, args, isMethod);
    const problem = first.overload.problem?.(args);
    if (problem !== undefined) throw this.error(node, problem);
    const overloads = fitting.map(({ overload }) => overload);
    const folded = this.#folded(name, first.overload, args);
    const choose = overloads.length > 1 || types.some(({ kind }) => kind === 'dyn');
    return {
      type: fitting.reduce((all, { answer }) => join(all, answer), first.answer),
      ...(folded !== undefined && { constant: folded }),
      ...(overloads.length === 1 && first.overload.answer !== undefined && { place: first.overload.answer(...args) }),
      ...(overloads.every(({ size }) => size !== undefined) && {
        known: overloads.map(({ size }) => size!(...args)).reduce(eitherSize),
      }),
      ...(first.overload.keepsItems === true && args[0]?.items !== undefined && { items: args[0].items }),
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

  /**
   * Computes a conversion of a literal once, and parses a literal pattern once. If it fails, the rule can never
   * succeed.
   */
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

  #condition(node: Node, [test, yes, no]: [Node, Node, Node], scope: Scope): Expression {
    const condition = this.compile(test, scope);
    const [first, second] = [this.compile(yes, scope), this.compile(no, scope)];
    if (!fits(condition.type, BOOL) || !fitsBeside(second.type, first.type))
      throw this.noOverload(node, '_?_:_', [condition, first, second]);
    return {
      // An empty literal list may have items of any type.
      type: first.parts?.length === 0 ? second.type : join(first.type, second.type),
      known: eitherSize(estimatedSize(first), estimatedSize(second)),
      ...itemsOfEither(first, second),
      cost: capped(condition.cost + Math.max(first.cost, second.cost)),
      run: (evaluation) => {
        evaluation.budget.charge(ONE);
        return (isTrue(condition.run(evaluation)) ? first : second).run(evaluation);
      },
    };
  }

  /** `&&` and `||`. If one operand decides the result, an error of the other one is ignored. */
  #logic(node: Node, [left, right]: [Node, Node], scope: Scope): Expression {
    const [first, second] = [this.compile(left, scope), this.compile(right, scope)];
    if (!fits(first.type, BOOL) || !fits(second.type, BOOL)) {
      throw this.noOverload(node, `_${node.op}_`, [first, second]);
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
    if (!fits(operand.type, BOOL)) throw this.noOverload(node, '!_', [operand]);
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
    if (!fits(type, INT) && !fits(type, DOUBLE)) throw this.noOverload(node, '-_', [operand]);
    return {
      type,
      ...(of.op === 'value' && constant !== undefined && { constant: { value: negated(constant.value) } }),
      cost: of.op === 'value' ? 0 : operand.cost + ONE,
      run: (evaluation) => {
        evaluation.budget.charge(ONE);
        return negated(operand.run(evaluation));
      },
    };
  }

  #operator(node: Node, [left, right]: [Node, Node], scope: Scope): Expression {
    const operator = this.environment.operators.get(node.op);
    if (operator === undefined) throw this.error(node, `Syntax error: operator '${node.op}' is not supported`);
    const [first, second] = [this.compile(left, scope), this.compile(right, scope)];
    const type = operator.check(first.type, second.type);
    const name = node.op === 'in' ? '@in' : `_${node.op}_`;
    if (type === undefined) throw this.noOverload(node, name, [first, second]);
    const { run, charge, estimate, size } = operator;
    const known = size?.(first, second);
    return {
      type,
      ...(known !== undefined && { known, ...itemsOfEither(first, second) }),
      cost: capped(first.cost + second.cost + (estimate?.(first, second) ?? ONE)),
      run: (evaluation) => {
        const [a, b] = [first.run(evaluation), second.run(evaluation)];
        if (charge === undefined) evaluation.budget.charge(ONE);
        else charge(evaluation.budget, a, b);
        return run(a, b);
      },
    };
  }

  noOverload(node: Node, name: string, args: readonly Expression[], isMethod = false): Error {
    const types = args.map(({ type }) => typeText(type));
    const of = isMethod ? `${types.shift()}.` : '';
    return this.error(node, `found no matching overload for '${name}' applied to '${of}(${types.join(', ')})'`);
  }
}

/** Reads a variable. */
function reader(slot: Variable['slot'], name: string): (evaluation: Evaluation) => CelValue {
  if (slot === 'self') return ({ self }) => self;
  if (slot === 'input') return ({ inputs }) => inputs!(name);
  return slot === 'oldSelf' ? ({ oldSelf }) => oldSelf ?? null : ({ locals }) => locals[slot]!;
}

/**
 * The known items of the result, which may be one of two lists or maps. Undefined if the items of one of them are
 * unknown.
 */
function itemsOfEither(a: Expression, b: Expression): Pick<Expression, 'items'> {
  return a.items === undefined || b.items === undefined ? {} : { items: eitherSize(a.items, b.items) };
}

function negated(value: CelValue): CelValue {
  if (typeof value === 'number') return -value;
  if (typeof value === 'bigint') return checkedInt(-value);
  throw noOverload();
}

/** The text of a path of names; undefined for any other node. */
function dotted(node: Node): string | undefined {
  if (node.op === 'id') return node.args as string;
  if (node.op !== '.') return undefined;
  const [of, name] = node.args as unknown as [Node, string];
  const before = dotted(of);
  return before === undefined ? undefined : `${before}.${name}`;
}
