import { type FieldError, invalidValue } from '../../errors/field-error.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import type { CustomResourceSubresourceScale } from '../../schema/generated/apiextensions.v1.ts';
import { isNumber } from '../schema/numbers.ts';

const MAX_REPLICAS = 2 ** 31 - 1;

/** The value at a simple path (`.spec.replicas`); undefined where there is none. */
function valueAt(object: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const name of path.split('.').slice(1)) {
    if (value === undefined || !isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** What is wrong with the numbers of replicas of an object that can be scaled. */
export function scaleErrors(object: JsonObject, scale: CustomResourceSubresourceScale | undefined): FieldError[] {
  if (scale === undefined) return [];
  return [scale.specReplicasPath, scale.statusReplicasPath].flatMap((path) => {
    const value = valueAt(object, path);
    if (value === undefined || value === null || !isNumber(value)) return [];
    if (Number(value) < 0) return [invalidValue(path, value, 'should be a non-negative integer')];
    if (Number(value) <= MAX_REPLICAS) return [];
    return [invalidValue(path, value, `should be less than or equal to ${MAX_REPLICAS}`)];
  });
}
