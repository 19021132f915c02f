import { BOOL, type CelType, DYN, fits, heldBy, INT, optionalOf, STRING, typeText } from './cel-type.ts';
import { type CelValue, EvaluationError } from './cel-value.ts';
import type { Evaluation, Expression, ExpressionCompiler, Node } from './expression.ts';
import { elementOf, fieldOf, isField, optionalElement, optionalField } from './parts-of-values.ts';
import type { Scope } from './scope.ts';
import { partOf } from './sizes.ts';

/** The cost of one simple step. */
const ONE = 1;

/** `object.name`: a field, or the value of a key. The result of a selection from an optional value is optional. */
export function selectNode(compiler: ExpressionCompiler, node: Node, object: Expression, name: string): Expression {
  const { field, type } = fieldType(compiler, node, object, name);
  const isOptional = object.type.kind === 'optional';
  return {
    type: isOptional ? optionalOf(heldBy(type)) : type,
    place: partOf(object.place, object.type.kind === 'object' ? { field: name } : 'element', compiler.root),
    cost: object.cost + (object.type.kind === 'dyn' || isOptional ? 0 : ONE),
    run: (evaluation) => {
      const value = fieldOf(object.run(evaluation), field);
      if (value === undefined) throw new EvaluationError(`no such key: ${name}`);
      return charged(evaluation, value);
    },
  };
}

/** `of.?name`: a field that may be absent. */
export function optionalSelectNode(compiler: ExpressionCompiler, node: Node, scope: Scope): Expression {
  const [of, name] = node.args as unknown as [Node, string];
  const object = compiler.compile(of, scope);
  const { field, type } = fieldType(compiler, node, object, name);
  return {
    type: optionalOf(heldBy(type)),
    cost: object.cost + ONE,
    run: (evaluation) => {
      const value = object.run(evaluation);
      evaluation.budget.charge(ONE);
      return optionalField(value, field);
    },
  };
}

/** `has(of.name)`: whether the field exists. */
export function hasNode(compiler: ExpressionCompiler, node: Node, scope: Scope): Expression {
  const [, args] = node.args as unknown as [string, readonly Node[]];
  const [selection] = args;
  if (args.length !== 1 || selection?.op !== '.') throw compiler.error(node, 'invalid argument to has() macro');
  const [of, name] = selection.args as unknown as [Node, string];
  const object = compiler.compile(of, scope);
  const { field } = fieldType(compiler, node, object, name);
  return {
    type: BOOL,
    cost: compiler.environment.followsSizes ? object.cost : 0,
    run: (evaluation) => {
      evaluation.budget.charge(ONE);
      return isField(object.run(evaluation), field);
    },
  };
}

/** `of[at]`: the item of a list or map. `of[?at]`: an optional with the item, if the item exists. */
export function indexNode(compiler: ExpressionCompiler, node: Node, scope: Scope): Expression {
  const [of, at] = node.args as unknown as [Node, Node];
  const [container, index] = [compiler.compile(of, scope), compiler.compile(at, scope)];
  const type = elementType(heldBy(container.type), index.type);
  const asks = node.op === '[?]';
  if (type === undefined) throw compiler.noOverload(node, asks ? '_[?_]' : '_[_]', [container, index]);
  if (index.constant?.value === null) compiler.giveUp('invalid qualifier type: null');
  const isOptional = asks || container.type.kind === 'optional';
  return {
    type: isOptional ? optionalOf(heldBy(type)) : type,
    ...(container.items !== undefined && !asks && { known: container.items }),
    ...(!isOptional && { place: partOf(container.place, 'element', compiler.root) }),
    cost: container.cost + index.cost + ONE,
    run: (evaluation) => {
      const [value, key] = [container.run(evaluation), index.run(evaluation)];
      return charged(evaluation, asks ? optionalElement(value, key) : elementOf(value, key));
    },
  };
}

function fieldType(
  compiler: ExpressionCompiler,
  node: Node,
  object: Expression,
  name: string,
): { field: string; type: CelType } {
  const type = heldBy(object.type);
  if (type.kind === 'object') {
    const field = type.fields.get(name);
    if (field === undefined) throw compiler.error(node, `undefined field '${name}'`);
    return { field: field.name, type: field.type };
  }
  if (type.kind === 'message') {
    const found = compiler.environment.messages(type.name)?.(name);
    if (found === undefined) throw compiler.error(node, `undefined field '${name}'`);
    return { field: name, type: found };
  }
  if (type.kind === 'map' && fits(type.key, STRING)) return { field: name, type: type.value };
  if (type.kind === 'dyn') return { field: name, type: DYN };
  throw compiler.error(node, `type '${typeText(type)}' does not support field selection`);
}

/** The type of the items of a list or map for a type of index; undefined if the index type is not allowed. */
function elementType(of: CelType, at: CelType): CelType | undefined {
  if (of.kind === 'dyn') return DYN;
  if (of.kind === 'list') return fits(at, INT) ? of.item : undefined;
  return of.kind === 'map' && fits(at, of.key) ? of.value : undefined;
}

/** Charges for a part of a value that was read, because bytes are decoded each time. */
function charged({ budget }: Evaluation, value: CelValue): CelValue {
  if (value instanceof Uint8Array) budget.chargeText(value.length);
  else budget.charge(ONE);
  return value;
}
