import type { Release } from '#base/release/release.ts';
import { BOOL, type CelField, type CelType, DYN, mapOf, QUANTITY, STRING, typeText } from '../cel-type.ts';
import { CheckError } from '../check-error.ts';
import { compileExpression } from '../compile-expression.ts';
import { type ExpressionEnvironment, environmentOf } from '../environment.ts';
import { bind } from '../macros/bind.ts';
import type { Variable } from '../scope.ts';

/** The largest number of characters of a driver's name, and of the text of an attribute. */
const MAX_DRIVER = 63;
const MAX_TEXT = 64;

const DEVICE = objectOf({
  driver: [STRING, MAX_DRIVER],
  attributes: [mapOf(STRING, mapOf(STRING, DYN, MAX_TEXT), 32), 32],
  capacity: [mapOf(STRING, mapOf(STRING, QUANTITY, 1), 32), 32],
  allowMultipleAllocations: [BOOL, 1],
});

const VARIABLES: ReadonlyMap<string, Variable> = new Map([
  ['device', { type: DEVICE, place: 'nowhere', slot: 'input' }],
]);

const ROOT = { type: DYN, size: 1 };

function objectOf(fields: Readonly<Record<string, readonly [type: CelType, size: number]>>): CelType {
  const entries = Object.entries(fields).map(([name, [type, size]]): [string, CelField] => [
    name,
    { name, type, size },
  ]);
  return { kind: 'object', fields: new Map(entries), least: 2 };
}

const environments = new Map<Release, ExpressionEnvironment>();

/** The environment of device selectors: the environment of all expressions, and `cel.bind`. */
function deviceEnvironment(release: Release): ExpressionEnvironment {
  let environment = environments.get(release);
  if (environment === undefined) {
    const common = environmentOf(release);
    environment = { ...common, macros: new Map([...common.macros, [`${bind.name}/${bind.takes}`, bind]]) };
    environments.set(release, environment);
  }
  return environment;
}

/** The reason why an expression cannot select devices; undefined if it can. */
export function deviceSelectorProblem(text: string, release: Release): string | undefined {
  try {
    const { type, hopeless } = compileExpression(text, VARIABLES, ROOT, deviceEnvironment(release));
    if (hopeless !== undefined) return `program instantiation failed: ${hopeless}`;
    if (type.kind === 'bool' || type.kind === 'dyn') return undefined;
    return `must evaluate to bool or the unknown type, not ${typeText(type)}`;
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    return `compilation failed: ${error.message}`;
  }
}
