import type { ASTNode } from '@marcbachmann/cel-js';
import { BOOL, type CelType, DYN, fits, listOf, typeText } from './cel-type.ts';
import { CelList, type CelValue, EvaluationError, isMap, typeNameOf } from './cel-value.ts';
import type { Evaluation, Expression, ExpressionCompiler, Node } from './expression.ts';
import { isTrue } from './operators.ts';
import type { Scope } from './scope.ts';
import { capped, estimatedSize, partOf } from './sizes.ts';

/** How many arguments each macro takes. */
const MACROS: ReadonlyMap<string, readonly number[]> = new Map([
  ['all', [2]],
  ['exists', [2]],
  ['exists_one', [2]],
  ['filter', [2]],
  ['map', [2, 3]],
]);

/** Whether a method is one of those that run an expression for each element. */
export function isMacro(name: string, args: readonly ASTNode[]): boolean {
  return MACROS.get(name)?.includes(args.length) === true;
}

/** Runs something for each element; it answers false to stop. */
type ForEach = (evaluation: Evaluation, visit: (element: CelValue) => boolean) => void;

/** A macro: `self.all(x, x > 0)`. Elements are the items of a list or the keys of a map. */
export function addMacro(
  compiler: ExpressionCompiler,
  name: string,
  { node, of, args }: { readonly node: Node; readonly of: Node; readonly args: readonly Node[] },
  scope: Scope,
): Expression {
  const range = compiler.compile(of, scope);
  const { kind } = range.type;
  const element = elementType(range.type);
  if (element === undefined) {
    const found = typeText(range.type);
    throw compiler.error(
      of,
      `expression of type '${found}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
  }
  const [variable, ...bodies] = args;
  if (variable?.op !== 'id') throw compiler.error(variable ?? of, 'argument must be a simple name');
  const place = kind === 'dyn' ? undefined : partOf(range.place, kind === 'map' ? 'key' : 'element', compiler.root);
  const inner = scope.with(variable.args as unknown as string, element, place);
  const last = bodies.at(-1)!;
  const test = bodies.length === 2 || name !== 'map' ? compiler.compile(bodies[0]!, inner) : undefined;
  if (test !== undefined && !fits(test.type, BOOL)) {
    throw compiler.error(node, `found no matching overload for ${SIGNATURES.get(name)!(typeText(test.type))}`);
  }
  const filter = name === 'map' || name === 'filter' ? test : undefined;
  const body = name === 'map' ? compiler.compile(last, inner) : test!;
  const slot = inner.depth - 1;
  const { step, whole } = COSTS.get(name)!;
  const each: ForEach = (evaluation, visit) => {
    for (const value of elements(range.run(evaluation))) {
      if (value instanceof Uint8Array) evaluation.budget.chargeText(value.length);
      evaluation.budget.charge(step);
      evaluation.locals[slot] = value;
      if (!visit(value)) return;
    }
  };
  const eachCost = step + body.cost + (filter !== undefined && name === 'map' ? filter.cost : 0);
  return {
    type: name === 'map' ? listOf(body.type) : name === 'filter' ? listOf(element) : BOOL,
    cost: capped(range.cost + whole + estimatedSize(range).most * eachCost),
    run: runner(name, each, body, filter),
  };
}

/** What a macro costs for each element and once, beside what stands in it: it is made of such parts by definition. */
const COSTS: ReadonlyMap<string, { readonly step: number; readonly whole: number }> = new Map(
  Object.entries({
    all: { step: 3, whole: 1 },
    exists: { step: 4, whole: 1 },
    exists_one: { step: 2, whole: 2 },
    map: { step: 12, whole: 11 },
    filter: { step: 13, whole: 11 },
  }),
);

/** What a condition that is no boolean does not fit: each macro is made of an operator. */
const SIGNATURES: ReadonlyMap<string, (type: string) => string> = new Map([
  ['all', (type) => `'_&&_' applied to '(bool, ${type})'`],
  ['exists', (type) => `'_||_' applied to '(bool, ${type})'`],
  ['exists_one', (type) => `'_?_:_' applied to '(${type}, int, int)'`],
  ['map', (type) => `'_?_:_' applied to '(${type}, list, list)'`],
  ['filter', (type) => `'_?_:_' applied to '(${type}, list, list)'`],
]);

function runner(name: string, each: ForEach, body: Expression, filter: Expression | undefined): Expression['run'] {
  switch (name) {
    case 'all':
      return (evaluation) => quantified(evaluation, each, body, false);
    case 'exists':
      return (evaluation) => quantified(evaluation, each, body, true);
    case 'exists_one':
      return (evaluation) => {
        let count = 0;
        each(evaluation, () => {
          if (isTrue(body.run(evaluation))) count++;
          return true;
        });
        return count === 1;
      };
    default:
      return (evaluation) => {
        const answer: CelValue[] = [];
        each(evaluation, (value) => {
          if (filter === undefined || isTrue(filter.run(evaluation))) {
            answer.push(name === 'filter' ? value : body.run(evaluation));
          }
          return true;
        });
        return new CelList(answer);
      };
  }
}

/** Whether the body holds for some or for all; an element that decides makes up for errors of others. */
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

function elementType(type: CelType): CelType | undefined {
  if (type.kind === 'list') return type.item;
  if (type.kind === 'map') return type.key;
  return type.kind === 'dyn' ? DYN : undefined;
}

function elements(value: CelValue): Iterable<CelValue> {
  if (value instanceof CelList) return value;
  if (typeof value === 'object' && value !== null && isMap(value)) return value.keys();
  throw new EvaluationError(`got '${typeNameOf(value)}', expected iterable type`);
}
