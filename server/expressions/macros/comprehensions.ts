import { type Entry, since } from '#base/release/in-force.ts';
import { BOOL, type CelType, DYN, fits, INT, listOf, mapOf, typeText } from '../cel-type.ts';
import {
  CelList,
  type CelMap,
  type CelValue,
  EvaluationError,
  isMap,
  keyText,
  MadeMap,
  typeNameOf,
} from '../cel-value.ts';
import type { Evaluation, Expression, ExpressionCompiler, Node } from '../expression.ts';
import { isTrue } from '../operators.ts';
import type { Scope } from '../scope.ts';
import { capped, estimatedSize, partOf } from '../sizes.ts';
import type { Macro, MacroCall } from './macro.ts';

/** A macro that runs an expression for each element of a list or map: `self.all(x, x > 0)`. */
interface Comprehension {
  readonly name: string;
  /**
   * The number of variables. One is for the items of a list or the keys of a map. Two are for indexes and items, or
   * keys and values.
   */
  readonly variables: 1 | 2;
  readonly makes: Makes;
  /** Whether a condition precedes the result expression. */
  readonly filters?: boolean;
  /**
   * The additional cost of each element, and of the whole. The language defines that a macro is replaced by an
   * expression with such parts.
   */
  readonly step: number;
  readonly whole: number;
}

/**
 * The result of a macro over all elements. `items` are the results of the body, and `kept` are the elements for which
 * the body is true.
 */
type Makes = 'all' | 'exists' | 'one' | 'items' | 'kept' | 'members' | 'entries';

const ALL = { name: 'all', makes: 'all', step: 3, whole: 1 } as const;
const EXISTS = { name: 'exists', makes: 'exists', step: 4, whole: 1 } as const;
const ONE = { makes: 'one', step: 2, whole: 2 } as const;
const ITEMS = { makes: 'items', step: 12, whole: 11 } as const;
const MEMBERS = { name: 'transformMap', variables: 2, makes: 'members', step: 3, whole: 31 } as const;
const ENTRIES = { name: 'transformMapEntry', variables: 2, makes: 'entries', step: 2, whole: 31 } as const;

const COMPREHENSIONS: readonly Entry<readonly Comprehension[]>[] = [
  [
    { ...ALL, variables: 1 },
    { ...EXISTS, variables: 1 },
    { ...ONE, name: 'exists_one', variables: 1 },
    { ...ITEMS, name: 'map', variables: 1 },
    { ...ITEMS, name: 'map', variables: 1, filters: true },
    { name: 'filter', variables: 1, makes: 'kept', step: 13, whole: 11 },
  ],
  since('1.32', [
    { ...ALL, variables: 2 },
    { ...EXISTS, variables: 2 },
    { ...ONE, name: 'exists_one', variables: 2 },
    { ...ONE, name: 'existsOne', variables: 2 },
    ...[{ ...ITEMS, name: 'transformList', variables: 2 } as const, MEMBERS, ENTRIES].flatMap(
      (each): Comprehension[] => [each, { ...each, filters: true }],
    ),
  ]),
];

/** All comprehensions, with the first releases that have them. */
export const comprehensions: readonly Entry<readonly Macro[]>[] = COMPREHENSIONS.map((entry) =>
  'value' in entry ? since(entry.lifespan.since!, entry.value.map(macroOf)) : entry.map(macroOf),
);

function macroOf(form: Comprehension): Macro {
  return {
    name: form.name,
    takes: form.variables + (form.filters === true ? 2 : 1),
    compile: (compiler, call, scope) => compileComprehension(form, compiler, call, scope),
  };
}

/** Runs a function for each element. The function returns false to stop. */
type ForEach = (evaluation: Evaluation, visit: (element: CelValue) => boolean) => void;

/** The result expression of each element. */
interface Body {
  readonly body: Expression;
  readonly filter: Expression | undefined;
}

function compileComprehension(
  form: Comprehension,
  compiler: ExpressionCompiler,
  { node, of, args }: MacroCall,
  scope: Scope,
): Expression {
  const range = compiler.compile(of, scope);
  const inner = variablesOf(form, compiler, range, { of, args }, scope);
  const [body, filter] = [args.at(-1)!, form.filters === true ? args.at(-2) : undefined];
  const each = { body: compiler.compile(body, inner), filter: filter && compiler.compile(filter, inner) };
  const isTest = form.makes === 'all' || form.makes === 'exists' || form.makes === 'one' || form.makes === 'kept';
  const test = isTest ? each.body : each.filter;
  if (test !== undefined && !fits(test.type, BOOL)) {
    throw compiler.error(node, `found no matching overload for ${SIGNATURES.get(form.makes)!(typeText(test.type))}`);
  }
  const count = estimatedSize(range);
  const eachCost = form.step + each.body.cost + (each.filter?.cost ?? 0);
  const isMade = ['items', 'kept', 'members', 'entries'].includes(form.makes);
  const first = inner.get(args[0]!.args as string)!;
  const items = form.makes === 'items' ? each.body : form.makes === 'kept' ? first : undefined;
  return {
    type: typeOf(form, compiler, { node, range, first: first.type, body: each.body }),
    ...(isMade &&
      compiler.environment.followsSizes && {
        known: count,
        ...(items !== undefined && { items: { least: 0, most: estimatedSize(items).most } }),
      }),
    cost: capped(range.cost + form.whole + count.most * eachCost),
    run: runner(form, scope.depth, forEach(form, range, scope.depth), each),
  };
}

function variablesOf(
  { variables }: Comprehension,
  compiler: ExpressionCompiler,
  range: Expression,
  { of, args }: Pick<MacroCall, 'of' | 'args'>,
  scope: Scope,
): Scope {
  const types = elementTypes(range.type);
  if (types === undefined) {
    const found = typeText(range.type);
    throw compiler.error(
      of,
      `expression of type '${found}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
  }
  const names = args.slice(0, variables);
  for (const name of names) if (name.op !== 'id') throw compiler.error(name, 'argument must be a simple name');
  const [first, second] = names.map((name) => name.args as unknown as string) as [string, string?];
  const { kind } = range.type;
  const place = (part: 'key' | 'element') =>
    kind === 'dyn' && !compiler.environment.followsSizes ? undefined : partOf(range.place, part, compiler.root);
  if (second === undefined) {
    return kind === 'list'
      ? scope.with(first, types.value, place('element'))
      : scope.with(first, types.key, place('key'));
  }
  if (first === second) throw compiler.error(names[1]!, `duplicate variable name: ${first}`);
  return scope
    .with(first, types.key, kind === 'list' ? 'nowhere' : place('key'))
    .with(second, types.value, place('element'));
}

/** The types of the keys and values of a list or map. The keys of a list are its indexes. */
function elementTypes(type: CelType): { readonly key: CelType; readonly value: CelType } | undefined {
  if (type.kind === 'list') return { key: INT, value: type.item };
  if (type.kind === 'map') return { key: type.key, value: type.value };
  return type.kind === 'dyn' ? { key: DYN, value: DYN } : undefined;
}

function typeOf(
  { makes }: Comprehension,
  compiler: ExpressionCompiler,
  { node, range, first, body }: { node: Node; range: Expression; first: CelType; body: Expression },
): CelType {
  switch (makes) {
    case 'items':
      return listOf(body.type);
    case 'kept':
      return range.type.kind === 'dyn' ? listOf(DYN) : listOf(first);
    case 'members':
      return mapOf(first, body.type);
    case 'entries':
      if (body.type.kind === 'map' || body.type.kind === 'dyn') {
        return body.type.kind === 'map' ? mapOf(body.type.key, body.type.value) : mapOf(DYN, DYN);
      }
      throw compiler.error(
        node,
        `found no matching overload for 'cel.@mapInsert' applied to '(map(K, V), ${typeText(body.type)})'`,
      );
    default:
      return BOOL;
  }
}

/** The operator in the error about a condition that is not a boolean. Each macro is replaced by such an operator. */
const SIGNATURES: ReadonlyMap<Makes, (type: string) => string> = new Map<Makes, (type: string) => string>([
  ['all', (type) => `'_&&_' applied to '(bool, ${type})'`],
  ['exists', (type) => `'_||_' applied to '(bool, ${type})'`],
  ['one', (type) => `'_?_:_' applied to '(${type}, int, int)'`],
  ['items', (type) => `'_?_:_' applied to '(${type}, list, list)'`],
  ['kept', (type) => `'_?_:_' applied to '(${type}, list, list)'`],
  ['members', (type) => `'_?_:_' applied to '(${type}, map, map)'`],
  ['entries', (type) => `'_?_:_' applied to '(${type}, map, map)'`],
]);

function forEach({ variables, step }: Comprehension, range: Expression, slot: number): ForEach {
  const keep = (evaluation: Evaluation, at: number, value: CelValue): CelValue => {
    if (value instanceof Uint8Array) evaluation.budget.chargeText(value.length);
    evaluation.locals[at] = value;
    return value;
  };
  return (evaluation, visit) => {
    const container = range.run(evaluation);
    if (container instanceof CelList) {
      for (let i = 0; i < container.length; i++) {
        evaluation.budget.charge(step);
        if (variables === 2) keep(evaluation, slot, BigInt(i));
        if (!visit(keep(evaluation, slot + variables - 1, container.at(i)))) return;
      }
    } else if (typeof container === 'object' && container !== null && isMap(container)) {
      for (const key of container.keys()) {
        evaluation.budget.charge(step);
        keep(evaluation, slot, key);
        if (variables === 2) keep(evaluation, slot + 1, container.get(key) ?? null);
        if (!visit(key)) return;
      }
    } else throw new EvaluationError(`got '${typeNameOf(container)}', expected iterable type`);
  };
}

function runner({ makes }: Comprehension, slot: number, each: ForEach, { body, filter }: Body): Expression['run'] {
  const isPicked = (evaluation: Evaluation) => filter === undefined || isTrue(filter.run(evaluation));
  switch (makes) {
    case 'all':
      return (evaluation) => quantified(evaluation, each, body, false);
    case 'exists':
      return (evaluation) => quantified(evaluation, each, body, true);
    case 'one':
      return (evaluation) => {
        let count = 0;
        each(evaluation, () => {
          if (isTrue(body.run(evaluation))) count++;
          return true;
        });
        return count === 1;
      };
    case 'kept':
      return (evaluation) => listed(evaluation, each, (value) => (isTrue(body.run(evaluation)) ? value : undefined));
    case 'items':
      return (evaluation) => listed(evaluation, each, () => (isPicked(evaluation) ? body.run(evaluation) : undefined));
    case 'members':
      return (evaluation) =>
        mapped(evaluation, each, (add) => isPicked(evaluation) && add(evaluation.locals[slot]!, body.run(evaluation)));
    default:
      return (evaluation) =>
        mapped(evaluation, each, (add) => {
          if (!isPicked(evaluation)) return;
          const entries = body.run(evaluation);
          if (typeof entries !== 'object' || entries === null || !isMap(entries)) {
            throw new EvaluationError('no such overload');
          }
          addEntries(entries, add);
        });
  }
}

/** A list of the results of all elements, without undefined results. */
function listed(evaluation: Evaluation, each: ForEach, make: (first: CelValue) => CelValue | undefined): CelList {
  const items: CelValue[] = [];
  each(evaluation, (first) => {
    const item = make(first);
    if (item !== undefined) items.push(item);
    return true;
  });
  return new CelList(items);
}

type Add = (key: CelValue, value: CelValue) => void;

function mapped(evaluation: Evaluation, each: ForEach, visit: (add: Add) => unknown): MadeMap {
  const entries = new Map<string, readonly [CelValue, CelValue]>();
  const add: Add = (key, value) => {
    const text = keyText(key);
    if (entries.has(text)) throw new EvaluationError(`insert failed: key ${shownKey(key)} already exists`);
    entries.set(text, [key, value]);
  };
  each(evaluation, () => {
    visit(add);
    return true;
  });
  return new MadeMap([...entries.values()]);
}

function addEntries(entries: CelMap, add: Add): void {
  for (const key of entries.keys()) add(key, entries.get(key) ?? null);
}

function shownKey(key: CelValue): string {
  return typeof key === 'string' ? key : keyText(key);
}

/**
 * Whether the body is true for some elements or for all. If one element decides the result, errors of other elements
 * are ignored.
 */
function quantified(evaluation: Evaluation, each: ForEach, body: Expression, decides: boolean): boolean {
  let failed: EvaluationError | undefined;
  let decided = false;
  each(evaluation, () => {
    try {
      decided = isTrue(body.run(evaluation)) === decides;
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      failed ??= error;
    }
    return !decided;
  });
  if (decided) return decides;
  if (failed !== undefined) throw failed;
  return !decides;
}
