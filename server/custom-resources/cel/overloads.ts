import type { Overload } from './cel-function.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  STRING,
  TIMESTAMP,
  UINT,
  URL_TYPE,
} from './cel-type.ts';
import { CelList, type CelValue, Duration, isMap, Timestamp, typeNameOf, Unsigned } from './cel-value.ts';
import { listFunctions } from './list-functions.ts';
import { ParsedUrl } from './parsed-url.ts';
import { patternFunctions } from './pattern-functions.ts';
import { noOverload, standardFunctions } from './standard-functions.ts';
import { textFunctions } from './text-functions.ts';
import { urlFunctions } from './url-functions.ts';

const extensions = [...textFunctions, ...listFunctions, ...patternFunctions, ...urlFunctions];
/** Functions beyond those of the language itself say more when they are called with other values. */
const tellsTypes: ReadonlySet<string> = new Set(extensions.map(({ name }) => name));
const tellsName: ReadonlySet<string> = new Set(['size', 'startsWith', 'endsWith', 'contains']);

/** All functions by name, methods with a dot before it. */
export const functions: ReadonlyMap<string, readonly Overload[]> = overloadsByName();

function overloadsByName(): Map<string, Overload[]> {
  const functions = new Map<string, Overload[]>();
  for (const overload of [...standardFunctions, ...extensions]) {
    const key = `${overload.isMethod ? '.' : ''}${overload.name}`;
    functions.set(key, [...(functions.get(key) ?? []), overload]);
  }
  return functions;
}

/** Where a type is not known before, the one of the overloads that fits the values is taken when they are there. */
export function fittingOverload(overloads: readonly Overload[], values: readonly CelValue[]): Overload {
  const types = values.map(typeOfValue);
  const found = overloads.find((each) => each.check(types) !== undefined);
  if (found !== undefined) return found;
  const { name } = overloads[0]!;
  if (tellsTypes.has(name)) throw noOverload(`: ${name}(${values.map(typeNameOf).join(', ')})`);
  throw noOverload(tellsName.has(name) ? `: ${name}` : '');
}

function typeOfValue(value: CelValue): CelType {
  if (typeof value === 'string') return STRING;
  if (typeof value === 'boolean') return BOOL;
  if (typeof value === 'bigint') return INT;
  if (typeof value === 'number') return DOUBLE;
  if (value === null) return NULL;
  if (value instanceof Uint8Array) return BYTES;
  if (value instanceof Unsigned) return UINT;
  if (value instanceof Timestamp) return TIMESTAMP;
  if (value instanceof Duration) return DURATION;
  if (value instanceof ParsedUrl) return URL_TYPE;
  if (value instanceof CelList) return listOf(DYN);
  if (isMap(value)) return mapOf(DYN, DYN);
  return DYN;
}
