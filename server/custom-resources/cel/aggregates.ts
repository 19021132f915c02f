import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  fitsBeside,
  INT,
  join,
  listOf,
  mapOf,
  NULL,
  STRING,
  typeText,
  UINT,
} from './cel-type.ts';
import { CelList, type CelValue, MadeMap, sizeOf, Unsigned } from './cel-value.ts';
import type { Expression, ExpressionCompiler, Node } from './expression.ts';
import type { Scope } from './scope.ts';
import { capped, exactly } from './sizes.ts';

/** What making a list or a map costs beside its parts. */
const LIST_COST = 10;
const MAP_COST = 30;

/** A value that is spelt out. */
export function literalNode(compiler: ExpressionCompiler, node: Node, raw: unknown): Expression {
  const [value, type] = literal(raw);
  if (typeof value === 'bigint' && value > 2n ** 63n - 1n) throw compiler.error(node, 'invalid int literal');
  const size = typeof value === 'string' ? Buffer.byteLength(value) : sizeOf(value);
  return { type, known: exactly(size), constant: { value }, cost: 0, run: () => value };
}

function literal(raw: unknown): [CelValue, CelType] {
  if (raw === null) return [raw, NULL];
  if (typeof raw === 'string') return [raw, STRING];
  if (typeof raw === 'boolean') return [raw, BOOL];
  if (typeof raw === 'number') return [raw, DOUBLE];
  if (typeof raw === 'bigint') return [raw, INT];
  if (raw instanceof Uint8Array) return [raw, BYTES];
  return [new Unsigned(BigInt(String(raw))), UINT];
}

/** `[a, b]`: items are of one type. */
export function listNode(compiler: ExpressionCompiler, args: readonly Node[], scope: Scope): Expression {
  const items = args.map((arg) => compiler.compile(arg, scope));
  return {
    type: listOf(oneType(compiler, items, args)),
    known: exactly(items.length),
    cost: items.reduce((total, { cost }) => capped(total + cost), LIST_COST),
    run: (evaluation) => {
      evaluation.budget.charge(LIST_COST + items.length);
      return new CelList(items.map((each) => each.run(evaluation)));
    },
  };
}

/** `{a: b}`: keys are of one type, and so are values. */
export function mapNode(
  compiler: ExpressionCompiler,
  args: readonly (readonly [Node, Node])[],
  scope: Scope,
): Expression {
  const entries = args.map(([key, value]) => [compiler.compile(key, scope), compiler.compile(value, scope)] as const);
  const side = (i: 0 | 1) =>
    oneType(
      compiler,
      entries.map((entry) => entry[i]),
      args.map((arg) => arg[i]),
    );
  return {
    type: mapOf(side(0), side(1)),
    known: exactly(entries.length),
    cost: entries.flat().reduce((total, { cost }) => capped(total + cost), MAP_COST),
    run: (evaluation) => {
      evaluation.budget.charge(MAP_COST + entries.length);
      return new MadeMap(entries.map(([key, value]) => [key.run(evaluation), value.run(evaluation)] as const));
    },
  };
}

function oneType(compiler: ExpressionCompiler, parts: readonly Expression[], nodes: readonly Node[]): CelType {
  let joined = parts[0]?.type ?? DYN;
  for (const [i, { type }] of parts.entries()) {
    if (!fitsBeside(joined, type)) {
      const problem = `expected type '${typeText(joined)}' but found '${typeText(type)}'`;
      throw compiler.error(nodes[i]!, problem);
    }
    joined = join(joined, type);
  }
  return joined;
}
