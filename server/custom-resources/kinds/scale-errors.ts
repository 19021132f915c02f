import { type FieldError, invalidValue } from '#base/errors/field-error.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { CustomResourceSubresourceScale } from '#schema/generated/apiextensions.v1.ts';
import { goSyntax } from '../schema/go-syntax.ts';
import { isNumber, toInteger } from '../schema/numbers.ts';

/** The largest number of characters of a value in an error. */
const QUOTED = 200;
const MAX_REPLICAS = 2 ** 31 - 1;

/** The type of a value in messages about paths. */
function goType(value: JsonValue): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isNumber(value)) return toInteger(value) === undefined ? 'float64' : 'int64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}

/** The value at a simple path (`.spec.replicas`), or its error; undefined if there is no value. */
function valueAt(
  object: JsonObject,
  path: string,
  type: 'int64' | 'string',
): { readonly found: JsonValue } | { readonly problem: string } | undefined {
  let value: JsonValue | undefined = object;
  const wrong = (found: JsonValue, expected: string) => ({
    problem: `${path} accessor error: ${(typeof found === 'string' ? found : goSyntax(found)).slice(0, QUOTED)} is of the type ${goType(found)}, expected ${expected}`,
  });
  for (const name of path.split('.').slice(1)) {
    if (value === null) return undefined;
    if (!isObject(value)) return wrong(value, 'map[string]interface{}');
    if (!Object.hasOwn(value, name)) return undefined;
    value = value[name]!;
  }
  if (value === null) return undefined;
  return goType(value) === type ? { found: value } : wrong(value, type);
}

/** Errors of the replica counts and of the selector of a scalable object. */
export function scaleErrors(object: JsonObject, scale: CustomResourceSubresourceScale | undefined): FieldError[] {
  if (scale === undefined) return [];
  const errors = [scale.specReplicasPath, scale.statusReplicasPath].flatMap((path) => {
    const value = valueAt(object, path, 'int64');
    if (value === undefined) return [];
    if ('problem' in value) return [invalidValue(path, 0, value.problem)];
    const { found: replicas } = value;
    if (Number(replicas) < 0) return [invalidValue(path, replicas, 'should be a non-negative integer')];
    if (Number(replicas) <= MAX_REPLICAS) return [];
    return [invalidValue(path, replicas, `should be less than or equal to ${MAX_REPLICAS}`)];
  });
  const { labelSelectorPath: path = '' } = scale;
  const selector = path === '' ? undefined : valueAt(object, path, 'string');
  if (selector !== undefined && 'problem' in selector) errors.push(invalidValue(path, '', selector.problem));
  return errors;
}
