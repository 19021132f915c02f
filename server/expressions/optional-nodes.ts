import { type CelType, fits, join, optionalOf } from './cel-type.ts';
import { OptionalValue } from './cel-value.ts';
import type { Expression, ExpressionCompiler, Node } from './expression.ts';
import { optionalItem } from './libraries/optional-functions.ts';
import { noOverload } from './libraries/standard-functions.ts';
import type { Scope } from './scope.ts';

/** The cost of one simple step. */
const ONE = 1;

/** `of.or(other)` and `of.orValue(other)`: `other` is evaluated only if the first value is absent. */
export function fallbackNode(
  compiler: ExpressionCompiler,
  node: Node,
  [name, of, other]: readonly ['or' | 'orValue', Node, Node],
  scope: Scope,
): Expression {
  const [first, second] = [compiler.compile(of, scope), compiler.compile(other, scope)];
  const item = optionalItem(first.type);
  const otherItem = name === 'or' ? optionalItem(second.type) : second.type;
  if (item === undefined || otherItem === undefined || !fits(item, otherItem)) {
    throw compiler.noOverload(node, name, [first, second], true);
  }
  const joined = join(item, otherItem);
  return {
    type: name === 'or' ? optionalOf(joined) : joined,
    cost: first.cost + second.cost + ONE,
    run: (evaluation) => {
      const value = first.run(evaluation);
      evaluation.budget.charge(ONE);
      if (!(value instanceof OptionalValue)) throw noOverload();
      if (value.value !== undefined) return name === 'or' ? value : value.value;
      return second.run(evaluation);
    },
  };
}

/** The optional parts of a list or map literal, which have a question mark before them. */
export function areOptional({ optionalMarks }: ExpressionCompiler, node: Node, parts: readonly Node[]): boolean[] {
  let from = node.start;
  return parts.map((part) => {
    const isOptional = optionalMarks.some((mark) => mark > from && mark < part.start);
    from = part.end;
    return isOptional;
  });
}

/** The type inside an optional part. @throws CheckError if it is not optional */
export function optionalPart(compiler: ExpressionCompiler, node: Node, part: Expression): CelType {
  const item = optionalItem(part.type);
  if (item === undefined) throw compiler.error(node, `expected type 'optional_type(T)' but found another one`);
  return item;
}
