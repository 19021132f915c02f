import { CelList, type CelValue, EvaluationError, isMap, JsonMap, numeric, OptionalValue } from './cel-value.ts';

/**
 * A field of an object by its name; undefined if the value does not have the field, or cannot have fields. A field of
 * an optional value is optional.
 */
export function fieldOf(value: CelValue, name: string): CelValue | undefined {
  if (value instanceof JsonMap) return value.field(name);
  if (value instanceof OptionalValue) return optionalField(value, name);
  return typeof value === 'object' && value !== null && isMap(value) ? value.get(name) : undefined;
}

/** A field of a value. The value may be absent, or may lack the field. */
export function optionalField(value: CelValue, name: string): OptionalValue {
  const of = value instanceof OptionalValue ? value.value : value;
  return of === undefined ? OptionalValue.none : OptionalValue.of(fieldOf(of, name));
}

/**
 * Whether an object has a field.
 * @throws EvaluationError for other values
 */
export function isField(value: CelValue, name: string): boolean {
  if (value instanceof OptionalValue) return value.value !== undefined && isField(value.value, name);
  if (typeof value !== 'object' || value === null || !isMap(value)) {
    throw new EvaluationError('invalid type for field selection.');
  }
  return fieldOf(value, name) !== undefined;
}

/**
 * The item of a list or map at an index. The item of an optional container is optional too.
 * @throws EvaluationError if the container lacks the item
 */
export function elementOf(container: CelValue, index: CelValue): CelValue {
  if (container instanceof OptionalValue) return optionalElement(container, index);
  if (container instanceof CelList) {
    const at = placeIn(index);
    if (at < 0 || at >= container.length) throw new EvaluationError(`index out of bounds: ${at}`);
    return container.at(at);
  }
  const isContainer = typeof container === 'object' && container !== null && isMap(container);
  const value = isContainer ? container.get(index) : undefined;
  if (value === undefined) throw new EvaluationError(`no such key: ${String(index)}`);
  return value;
}

/** The item of an optional list or map at an index, if both exist. */
export function optionalElement(value: CelValue, index: CelValue): OptionalValue {
  const container = value instanceof OptionalValue ? value.value : value;
  if (container === undefined) return OptionalValue.none;
  if (container instanceof CelList) {
    const at = placeIn(index);
    return at < 0 || at >= container.length ? OptionalValue.none : OptionalValue.of(container.at(at));
  }
  if (typeof container !== 'object' || container === null || !isMap(container)) {
    return OptionalValue.none;
  }
  return OptionalValue.of(container.get(index));
}

function placeIn(index: CelValue): number {
  if (typeof index !== 'bigint') throw new EvaluationError(`unsupported index: ${String(numeric(index) ?? index)}`);
  return Number(index);
}
