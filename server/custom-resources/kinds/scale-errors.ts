import { type FieldError, invalidValue } from '../../errors/field-error.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import type { CustomResourceSubresourceScale } from '../../schema/generated/apiextensions.v1.ts';
import { goSyntax } from '../schema/go-syntax.ts';
import { isNumber, toInteger } from '../schema/numbers.ts';

/** So much of a value is quoted in an error. */
const QUOTED = 200;
const MAX_REPLICAS = 2 ** 31 - 1;

/** Types of values as messages about paths name them. */
function goType(value: JsonValue): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isNumber(value)) return toInteger(value) === undefined ? 'float64' : 'int64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}

/** The replicas at a simple path (`.spec.replicas`), or what is wrong there; undefined where there are none. */
function replicasAt(
  object: JsonObject,
  path: string,
): { readonly replicas: JsonValue } | { readonly problem: string } | undefined {
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
  return isNumber(value) && toInteger(value) !== undefined ? { replicas: value } : wrong(value, 'int64');
}

/** What is wrong with the numbers of replicas of an object that can be scaled. */
export function scaleErrors(object: JsonObject, scale: CustomResourceSubresourceScale | undefined): FieldError[] {
  if (scale === undefined) return [];
  return [scale.specReplicasPath, scale.statusReplicasPath].flatMap((path) => {
    const found = replicasAt(object, path);
    if (found === undefined) return [];
    if ('problem' in found) return [invalidValue(path, 0, found.problem)];
    const { replicas } = found;
    if (Number(replicas) < 0) return [invalidValue(path, replicas, 'should be a non-negative integer')];
    if (Number(replicas) <= MAX_REPLICAS) return [];
    return [invalidValue(path, replicas, `should be less than or equal to ${MAX_REPLICAS}`)];
  });
}
