import { define, method, type Overload, textWalk } from '../cel-function.ts';
import { BOOL, type CelType, INT, SEMVER, STRING } from '../cel-type.ts';
import { EvaluationError } from '../cel-value.ts';
import { readLooseVersion, readVersion, type SemanticVersion } from './semantic-version.ts';

const read = (text: string, isLoose = false) => (isLoose ? readLooseVersion : readVersion)(text);

function versionOf(text: string, isLoose?: boolean): SemanticVersion {
  const version = read(text, isLoose);
  if (typeof version === 'string') throw new EvaluationError(version);
  return version;
}

/** An unsigned number of 64 bits as a signed one. */
function signed(number: bigint): bigint {
  return BigInt.asIntN(64, number);
}

const FORMS: readonly (readonly CelType[])[] = [[STRING], [STRING, BOOL]];
const NUMBERS = ['major', 'minor', 'patch'] as const;

/** Functions of versions by the rules of semver.org. */
export const versionFunctions: readonly Overload[] = [
  ...FORMS.flatMap((types) => [
    define('semver', types, SEMVER, versionOf, textWalk()),
    define('isSemver', types, BOOL, (...args: [string, boolean?]) => typeof read(...args) !== 'string', textWalk()),
  ]),
  method('isGreaterThan', [SEMVER, SEMVER], BOOL, (a: SemanticVersion, b: SemanticVersion) => a.compare(b) > 0),
  method('isLessThan', [SEMVER, SEMVER], BOOL, (a: SemanticVersion, b: SemanticVersion) => a.compare(b) < 0),
  method('compareTo', [SEMVER, SEMVER], INT, (a: SemanticVersion, b: SemanticVersion) => BigInt(a.compare(b))),
  ...NUMBERS.map((name, i) => method(name, [SEMVER], INT, ({ numbers }: SemanticVersion) => signed(numbers[i]!))),
];
