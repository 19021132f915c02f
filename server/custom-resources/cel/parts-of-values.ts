import { CelList, type CelValue, EvaluationError, isMap, JsonMap, numeric } from './cel-value.ts';
import { noOverload } from './standard-functions.ts';

/** A field of an object by its name; undefined where it has none. Throws an {@link EvaluationError} on other values. */
export function fieldOf(value: CelValue, name: string): CelValue | undefined {
  if (value instanceof JsonMap) return value.field(name);
  if (typeof value === 'object' && value !== null && isMap(value)) return value.get(name);
  throw noOverload('select');
}

/** What a list or map has at an index. Throws an {@link EvaluationError} where it has nothing. */
export function elementOf(container: CelValue, index: CelValue): CelValue {
  if (container instanceof CelList) {
    const at = Number(numeric(index) ?? Number.NaN);
    if (!Number.isInteger(at)) throw noOverload('_[_]');
    if (at < 0 || at >= container.length) throw new EvaluationError(`index out of bounds: ${at}`);
    return container.at(at);
  }
  if (typeof container !== 'object' || container === null || !isMap(container)) throw noOverload('_[_]');
  const value = container.get(index);
  if (value === undefined) throw new EvaluationError(`no such key: ${String(index)}`);
  return value;
}
