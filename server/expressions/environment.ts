import { type Entry, inForce, since } from '#base/release/in-force.ts';
import type { Release } from '#base/release/release.ts';
import type { Overload } from './cel-function.ts';
import type { LanguageForms } from './expression.ts';
import { accessFunctions } from './libraries/access-functions.ts';
import { addressFunctions } from './libraries/address-functions.ts';
import { escapeKeyFunction } from './libraries/escape-key-function.ts';
import { formatFunctions } from './libraries/format-functions.ts';
import { includesFunction, laterListFunctions } from './libraries/later-list-functions.ts';
import { laterTextFunctions } from './libraries/later-text-functions.ts';
import { listFunctions } from './libraries/list-functions.ts';
import { optionalFunctions } from './libraries/optional-functions.ts';
import { patternFunctions } from './libraries/pattern-functions.ts';
import { quantityFunctions } from './libraries/quantity-functions.ts';
import { setFunctions } from './libraries/set-functions.ts';
import { standardFunctions } from './libraries/standard-functions.ts';
import { textFunctions } from './libraries/text-functions.ts';
import { urlFunctions } from './libraries/url-functions.ts';
import { versionFunctions } from './libraries/version-functions.ts';
import type { Macro } from './macros/macro.ts';
import { macros } from './macros/macros.ts';
import { mutationMessages, noMessages } from './messages.ts';
import { type Operator, operatorsOf } from './operators.ts';

/** The environment of expressions in a release: functions, macros, operators and syntax forms. */
export interface ExpressionEnvironment extends LanguageForms {
  /** All functions by name. The name of a method has a dot before it. */
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  /** Macros by name and the number of their arguments: `all/2`. */
  readonly macros: ReadonlyMap<string, Macro>;
  readonly operators: ReadonlyMap<string, Operator>;
  /** The names of types with which `type(x)` can be compared. */
  readonly typeNames: ReadonlySet<string>;
}

/** The functions of the language itself and of libraries, with the first releases that have them. */
const LIBRARIES: readonly Entry<readonly Entry<Overload>[]>[] = [
  standardFunctions,
  textFunctions,
  listFunctions,
  patternFunctions,
  urlFunctions,
  since('1.27', accessFunctions),
  since('1.28', quantityFunctions),
  since('1.28', optionalFunctions),
  since('1.29', laterTextFunctions),
  since('1.29', setFunctions),
  since('1.30', addressFunctions),
  since('1.31', formatFunctions),
  since('1.33', versionFunctions),
  since('1.34', laterListFunctions),
  since('1.37', [includesFunction]),
];

const TYPE_NAMES: readonly Entry<readonly string[]>[] = [
  ['bool', 'bytes', 'double', 'int', 'list', 'map', 'null_type', 'string', 'type', 'uint'],
  ['google.protobuf.Timestamp', 'google.protobuf.Duration'],
  since('1.28', ['optional_type']),
  since('1.30', ['net.IP', 'net.CIDR']),
];

const known = new Map<Release, ExpressionEnvironment>();

/** The environment of a release. It is the same object each time. */
export function environmentOf(release: Release): ExpressionEnvironment {
  let environment = known.get(release);
  if (environment === undefined) known.set(release, (environment = makeEnvironment(release)));
  return environment;
}

function makeEnvironment(release: Release): ExpressionEnvironment {
  return {
    functions: byName(inForce(release, LIBRARIES).flatMap((library) => inForce(release, library))),
    typeNames: new Set(inForce(release, TYPE_NAMES).flat()),
    macros: new Map(
      inForce(release, macros)
        .flat()
        .map((macro) => [`${macro.name}/${macro.takes}`, macro]),
    ),
    operators: operatorsOf(release),
    hasOptionals: release.atLeast(28),
    followsSizes: release.atLeast(26),
    messages: noMessages,
  };
}

const mutating = new WeakMap<ExpressionEnvironment, ExpressionEnvironment>();

/** The environment of expressions that change objects. It also has messages for object parts and patch operations. */
export function forMutations(environment: ExpressionEnvironment): ExpressionEnvironment {
  let made = mutating.get(environment);
  if (made === undefined) {
    const functions = new Map([...environment.functions, ...byName([escapeKeyFunction])]);
    mutating.set(environment, (made = { ...environment, functions, messages: mutationMessages }));
  }
  return made;
}

function byName(overloads: readonly Overload[]): Map<string, Overload[]> {
  const functions = new Map<string, Overload[]>();
  for (const overload of overloads) {
    const key = `${overload.isMethod ? '.' : ''}${overload.name}`;
    functions.set(key, [...(functions.get(key) ?? []), overload]);
  }
  return functions;
}
