import { CelList, type CelValue, EvaluationError, isMap, JsonMap, numeric } from './cel-value.ts';

/** A field of an object by its name; undefined where it has none, as of all values that have no fields. */
export function fieldOf(value: CelValue, name: string): CelValue | undefined {
  if (value instanceof JsonMap) return value.field(name);
  return typeof value === 'object' && value !== null && isMap(value) ? value.get(name) : undefined;
}

/**
 * Whether an object has a field.
 * @throws EvaluationError on other values
 */
export function isField(value: CelValue, name: string): boolean {
  if (typeof value !== 'object' || value === null || !isMap(value)) {
    throw new EvaluationError('invalid type for field selection.');
  }
  return fieldOf(value, name) !== undefined;
}

/**
 * What a list or map has at an index.
 * @throws EvaluationError where it has nothing
 */
export function elementOf(container: CelValue, index: CelValue): CelValue {
  if (container instanceof CelList) {
    if (typeof index !== 'bigint') throw new EvaluationError(`unsupported index: ${String(numeric(index) ?? index)}`);
    const at = Number(index);
    if (at < 0 || at >= container.length) throw new EvaluationError(`index out of bounds: ${at}`);
    return container.at(at);
  }
  const isContainer = typeof container === 'object' && container !== null && isMap(container);
  const value = isContainer ? container.get(index) : undefined;
  if (value === undefined) throw new EvaluationError(`no such key: ${String(index)}`);
  return value;
}
