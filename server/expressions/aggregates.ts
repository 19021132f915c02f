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
import { CelList, type CelValue, EvaluationError, MadeMap, OptionalValue, sizeOf, Unsigned } from './cel-value.ts';
import type { Expression, ExpressionCompiler, Node } from './expression.ts';
import { areOptional, optionalPart } from './optional-nodes.ts';
import type { Scope } from './scope.ts';
import { capped, eitherSize, estimatedSize, exactly, MOST, type Size } from './sizes.ts';
import { characters } from './texts/characters.ts';

/** The cost of creating a list or a map, in addition to its parts. */
const LIST_COST = 10;
const MAP_COST = 30;

/** A literal value. */
export function literalNode(compiler: ExpressionCompiler, node: Node, raw: unknown): Expression {
  const [value, type] = literal(raw);
  if (typeof value === 'bigint' && value > 2n ** 63n - 1n) throw compiler.error(node, 'invalid int literal');
  const size = typeof value === 'string' ? textSize(value, compiler) : sizeOf(value);
  return { type, known: exactly(size), constant: { value }, cost: 0, run: () => value };
}

/** Later estimates count the characters of a text. The first estimates count its bytes. */
function textSize(text: string, { environment }: ExpressionCompiler): number {
  return environment.followsSizes ? characters(text) : Buffer.byteLength(text);
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

/** `[a, b]`: a list. All items have one type. An item with a question mark before it is left out if it is absent. */
export function listNode(compiler: ExpressionCompiler, node: Node, scope: Scope): Expression {
  const args = node.args as Node[];
  const items = args.map((arg) => compiler.compile(arg, scope));
  const optional = areOptional(compiler, node, args);
  const types = typesOf(compiler, items, args, optional);
  return {
    type: listOf(oneType(compiler, types, args)),
    known: exactly(items.length),
    ...(compiler.environment.followsSizes && { items: sizeOfAny(items) }),
    parts: items,
    cost: items.reduce((total, { cost }) => capped(total + cost), LIST_COST),
    run: (evaluation) => {
      evaluation.budget.charge(LIST_COST + items.length);
      const values = items.map((each) => each.run(evaluation));
      return new CelList(optional.includes(true) ? present(values, optional) : values);
    },
  };
}

/**
 * `{a: b}`: a map. All keys have one type, and so have all values. An entry with a question mark before it may be
 * absent.
 */
export function mapNode(compiler: ExpressionCompiler, node: Node, scope: Scope): Expression {
  const args = node.args as (readonly [Node, Node])[];
  const entries = args.map(([key, value]) => [compiler.compile(key, scope), compiler.compile(value, scope)] as const);
  const [keyNodes, valueNodes] = [args.map(([key]) => key), args.map(([, value]) => value)];
  const optional = areOptional(compiler, node, keyNodes);
  const values = entries.map(([, value]) => value);
  const keyType = oneType(
    compiler,
    typesOf(
      compiler,
      entries.map(([key]) => key),
      keyNodes,
      [],
    ),
    keyNodes,
  );
  const valueType = oneType(compiler, typesOf(compiler, values, valueNodes, optional), valueNodes);
  return {
    type: mapOf(keyType, valueType),
    known: exactly(entries.length),
    ...(compiler.environment.followsSizes && { items: sizeOfAny(values) }),
    cost: entries.flat().reduce((total, { cost }) => capped(total + cost), MAP_COST),
    run: (evaluation) => {
      evaluation.budget.charge(MAP_COST + entries.length);
      return new MadeMap(
        entries.flatMap(([key, value], i) => {
          const made = [key.run(evaluation), value.run(evaluation)] as const;
          if (optional[i] !== true) return [made];
          const held = heldIn(made[1]);
          return held === undefined ? [] : [[made[0], held] as const];
        }),
      );
    },
  };
}

/** The estimated size of one of several parts. It is as large as the largest of them. */
function sizeOfAny(parts: readonly Expression[]): Size {
  return parts.map(estimatedSize).reduce(eitherSize, { least: parts.length === 0 ? 0 : MOST, most: 0 });
}

function present(values: readonly CelValue[], optional: readonly boolean[]): CelValue[] {
  return values.flatMap((value, i) => {
    const held = optional[i] === true ? heldIn(value) : value;
    return held === undefined ? [] : [held];
  });
}

function heldIn(value: CelValue): CelValue | undefined {
  if (value instanceof OptionalValue) return value.value;
  throw new EvaluationError('cannot initialize an optional entry from a value that is not optional');
}

function typesOf(
  compiler: ExpressionCompiler,
  parts: readonly Expression[],
  nodes: readonly Node[],
  optional: readonly boolean[],
): CelType[] {
  return parts.map((part, i) => (optional[i] === true ? optionalPart(compiler, nodes[i]!, part) : part.type));
}

function oneType(compiler: ExpressionCompiler, types: readonly CelType[], nodes: readonly Node[]): CelType {
  let joined = types[0] ?? DYN;
  for (const [i, type] of types.entries()) {
    if (!fitsBeside(joined, type) && !compiler.mixesItems) {
      const problem = `expected type '${typeText(joined)}' but found '${typeText(type)}'`;
      throw compiler.error(nodes[i]!, problem);
    }
    joined = join(joined, type);
  }
  return joined;
}
