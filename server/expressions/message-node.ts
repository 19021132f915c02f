import { fits, heldBy, typeText } from './cel-type.ts';
import { type CelValue, EvaluationError, Message, OptionalValue } from './cel-value.ts';
import type { Expression, ExpressionCompiler, Node } from './expression.ts';
import { areOptional, optionalPart } from './optional-nodes.ts';
import type { Scope } from './scope.ts';
import { capped } from './sizes.ts';

/** The cost of creating a message, in addition to its fields. */
const MESSAGE_COST = 40;

/**
 * `T{a: b}`: a message of a type, with its fields. A field with a question mark before it is left out if it is absent.
 * @param name the name of the type; undefined if it is not a name
 * @param map the fields; the parser reads their names as texts
 */
export function messageNode(
  compiler: ExpressionCompiler,
  name: string | undefined,
  map: Node,
  scope: Scope,
): Expression {
  const known = name === undefined ? undefined : compiler.environment.messages(name);
  if (name === undefined || known === undefined) {
    throw compiler.error(map, `undeclared reference to '${name ?? ''}' (in container '')`);
  }
  const entries = map.args as (readonly [Node, Node])[];
  const optional = areOptional(
    compiler,
    map,
    entries.map(([key]) => key),
  );
  const fields = entries.map(([key, valueNode], i) => {
    const field = String(key.args);
    const value = compiler.compile(valueNode, scope);
    const given = optional[i] === true ? optionalPart(compiler, valueNode, value) : value.type;
    const wanted = known(field);
    if (wanted === undefined || !fits(wanted, heldBy(given))) {
      const [expected, provided] = [wanted === undefined ? '' : typeText(wanted), typeText(given)];
      // Clients see the position of the colon after the name.
      const colon = { ...map, op: ':', args: [key] } as unknown as Node;
      throw compiler.error(
        colon,
        `expected type of field '${field}' is '${expected}' but provided type is '${provided}'`,
      );
    }
    return { field, value, isOptional: optional[i] === true };
  });
  return {
    type: { kind: 'message', name },
    cost: fields.reduce((total, { value }) => capped(total + value.cost), MESSAGE_COST),
    run: (evaluation) => {
      evaluation.budget.charge(MESSAGE_COST + fields.length);
      const made = new Map<string, CelValue>();
      for (const { field, value, isOptional } of fields) {
        const held = isOptional ? heldIn(value.run(evaluation)) : value.run(evaluation);
        if (held !== undefined) made.set(field, held);
      }
      return new Message(name, made);
    },
  };
}

function heldIn(value: CelValue): CelValue | undefined {
  if (value instanceof OptionalValue) return value.value;
  throw new EvaluationError('cannot initialize an optional field from a value that is not optional');
}
