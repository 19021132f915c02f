import type { ASTNode } from '@marcbachmann/cel-js';
import { BOOL, type CelType, DYN, listOf, MAX_SIZE, typeText } from './cel-type.ts';
import { CelList, type CelValue, EvaluationError, isMap } from './cel-value.ts';
import type { Expression, ExpressionCompiler, Frame, Node } from './expression.ts';
import { isTrue } from './operators.ts';
import type { Scope } from './scope.ts';
import { noOverload } from './standard-functions.ts';

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
type ForEach = (frame: Frame, visit: (element: CelValue) => boolean) => void;

/** A macro: `self.all(x, x > 0)`. Elements are the items of a list or the keys of a map. */
export function addMacro(
  compiler: ExpressionCompiler,
  name: string,
  { of, args }: { readonly of: Node; readonly args: readonly Node[] },
  scope: Scope,
): Expression {
  const range = compiler.compile(of, scope);
  const element = elementType(range.type);
  if (element === undefined) {
    throw compiler.error(
      of,
      `expression of type '${typeText(range.type)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
  }
  const [variable, ...bodies] = args;
  if (variable?.op !== 'id') throw compiler.error(variable ?? of, 'argument must be a simple name');
  const inner = scope.with(variable.args as unknown as string, element, elementSize(range));
  const last = bodies.at(-1)!;
  const filter = name === 'filter' || bodies.length === 2 ? compiler.condition(bodies[0]!, inner) : undefined;
  const body = name === 'map' ? compiler.compile(last, inner) : compiler.condition(last, inner);
  const place = inner.depth - 1;
  const each: ForEach = (frame, visit) => {
    for (const value of elements(range.run(frame))) {
      frame.budget.charge(1);
      frame.locals[place] = value;
      if (!visit(value)) return;
    }
  };
  const step = 1 + body.cost + (filter !== undefined && filter !== body ? filter.cost : 0);
  const made = name === 'map' || name === 'filter';
  return {
    type:
      name === 'map' ? listOf(body.type, body.size) : name === 'filter' ? listOf(element, elementSize(range)) : BOOL,
    size: made ? range.size : 1,
    cost: range.cost + range.size * step,
    run: runner(name, each, body, filter),
  };
}

function runner(name: string, each: ForEach, body: Expression, filter: Expression | undefined): Expression['run'] {
  switch (name) {
    case 'all':
      return (frame) => quantified(frame, each, body, false);
    case 'exists':
      return (frame) => quantified(frame, each, body, true);
    case 'exists_one':
      return (frame) => {
        let count = 0;
        each(frame, () => {
          if (isTrue(body.run(frame))) count++;
          return true;
        });
        return count === 1;
      };
    default:
      return (frame) => {
        const answer: CelValue[] = [];
        each(frame, (value) => {
          if (filter === undefined || isTrue(filter.run(frame))) {
            answer.push(name === 'filter' ? value : body.run(frame));
          }
          return true;
        });
        return new CelList(answer);
      };
  }
}

/** Whether the body holds for some or for all; an element that decides makes up for errors of others. */
function quantified(frame: Frame, each: ForEach, body: Expression, decides: boolean): boolean {
  let failed: EvaluationError | undefined;
  let decided = false;
  each(frame, () => {
    try {
      decided = isTrue(body.run(frame)) === decides;
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

/** The most characters or elements that one of the elements has. */
function elementSize({ type }: Expression): number {
  return type.kind === 'list' ? type.itemSize : MAX_SIZE;
}

function elements(value: CelValue): Iterable<CelValue> {
  if (value instanceof CelList) return itemsOf(value);
  if (typeof value === 'object' && value !== null && isMap(value)) return value.keys();
  throw noOverload('comprehension');
}

function* itemsOf(list: CelList): Generator<CelValue> {
  for (let i = 0; i < list.length; i++) yield list.at(i);
}
