import type { Overload } from './cel-function.ts';
import { BOOL, BYTES, type CelType, DOUBLE, DYN, INT, listOf, mapOf, NULL, STRING, UINT } from './cel-type.ts';
import { CelList, type CelValue, isMap, Unsigned } from './cel-value.ts';
import { listFunctions } from './list-functions.ts';
import { patternFunctions } from './pattern-functions.ts';
import { noOverload, standardFunctions } from './standard-functions.ts';
import { textFunctions } from './text-functions.ts';
import { urlFunctions } from './url-functions.ts';

/** All functions by name, methods with a dot before it. */
export const functions: ReadonlyMap<string, readonly Overload[]> = overloadsByName();

function overloadsByName(): Map<string, Overload[]> {
  const functions = new Map<string, Overload[]>();
  for (const overload of [
    ...standardFunctions,
    ...textFunctions,
    ...listFunctions,
    ...patternFunctions,
    ...urlFunctions,
  ]) {
    const key = `${overload.isMethod ? '.' : ''}${overload.name}`;
    functions.set(key, [...(functions.get(key) ?? []), overload]);
  }
  return functions;
}

/** Where a type is not known before, the one of the overloads that fits the values is taken when they are there. */
export function guarded(overloads: readonly Overload[]): (...values: CelValue[]) => CelValue {
  return (...values) => {
    const types = values.map(typeOfValue);
    const overload = overloads.find((each) => each.check(types) !== undefined);
    if (overload === undefined) throw noOverload(overloads[0]!.name);
    return overload.run(...values);
  };
}

function typeOfValue(value: CelValue): CelType {
  if (typeof value === 'string') return STRING;
  if (typeof value === 'boolean') return BOOL;
  if (typeof value === 'bigint') return INT;
  if (typeof value === 'number') return DOUBLE;
  if (value === null) return NULL;
  if (value instanceof Uint8Array) return BYTES;
  if (value instanceof Unsigned) return UINT;
  if (value instanceof CelList) return listOf(DYN);
  if (isMap(value)) return mapOf(DYN, DYN);
  return DYN;
}
