import { Dated } from '#base/release/in-force.ts';
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
  optionalOf,
  STRING,
  TIMESTAMP,
  UINT,
} from './cel-type.ts';
import {
  CelList,
  type CelValue,
  Duration,
  isMap,
  LibraryValue,
  Message,
  OptionalValue,
  Timestamp,
  typeNameOf,
  Unsigned,
} from './cel-value.ts';
import { listFunctions } from './libraries/list-functions.ts';
import { patternFunctions } from './libraries/pattern-functions.ts';
import { noOverload } from './libraries/standard-functions.ts';
import { textFunctions } from './libraries/text-functions.ts';
import { urlFunctions } from './libraries/url-functions.ts';

const extensions = [...textFunctions, ...listFunctions, ...patternFunctions, ...urlFunctions];
/** Functions beyond those of the language itself have a more detailed error if they are called with other values. */
const namesTypes: ReadonlySet<string> = new Set(
  extensions.map((entry) => (entry instanceof Dated ? entry.value : entry).name),
);
const namesFunction: ReadonlySet<string> = new Set(['size', 'startsWith', 'endsWith', 'contains']);

/** If a type is unknown at compile time, the overload that fits the values is chosen at run time. */
export function fittingOverload(overloads: readonly Overload[], values: readonly CelValue[]): Overload {
  const types = values.map(typeOfValue);
  const found = overloads.find((each) => each.check(types) !== undefined);
  if (found !== undefined) return found;
  const { name } = overloads[0]!;
  if (namesTypes.has(name)) throw noOverload(`: ${name}(${values.map(typeNameOf).join(', ')})`);
  throw noOverload(namesFunction.has(name) ? `: ${name}` : '');
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
  if (value instanceof LibraryValue) return { kind: value.kind };
  if (value instanceof OptionalValue) return optionalOf(DYN);
  if (value instanceof CelList) return listOf(DYN);
  if (value instanceof Message) return { kind: 'message', name: value.typeName };
  if (isMap(value)) return mapOf(DYN, DYN);
  return DYN;
}
