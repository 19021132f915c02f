import { LibraryValue } from '../cel-value.ts';

const NUMBER = /^(?:0|[1-9][0-9]*)$/;
const PART = /^[0-9A-Za-z-]+$/;
const MAX = 2n ** 64n - 1n;
/** The largest length. Versions are short, so a longer text is not a version. */
const MAX_LENGTH = 10_000;

/** A version by the rules of semver.org 2.0.0. */
export class SemanticVersion extends LibraryValue {
  readonly kind = 'semver';
  /** The major, minor and patch number. */
  readonly numbers: readonly [bigint, bigint, bigint];
  /** The identifiers after a dash. Integers are bigints. */
  readonly preRelease: readonly (string | bigint)[];
  readonly build: readonly string[];

  constructor(
    numbers: readonly [bigint, bigint, bigint],
    preRelease: readonly (string | bigint)[],
    build: readonly string[],
  ) {
    super();
    this.numbers = numbers;
    this.preRelease = preRelease;
    this.build = build;
  }

  equals(other: LibraryValue): boolean {
    return other instanceof SemanticVersion && this.compare(other) === 0;
  }

  /** The order of two versions. Builds do not count. A release comes after its pre-releases. */
  compare(other: SemanticVersion): -1 | 0 | 1 {
    for (const [i, number] of this.numbers.entries()) {
      if (number !== other.numbers[i]!) return number < other.numbers[i]! ? -1 : 1;
    }
    const [mine, others] = [this.preRelease, other.preRelease];
    if (mine.length === 0 || others.length === 0) {
      return mine.length === others.length ? 0 : mine.length === 0 ? 1 : -1;
    }
    for (let i = 0; i < Math.min(mine.length, others.length); i++) {
      const order = comparePart(mine[i]!, others[i]!);
      if (order !== 0) return order;
    }
    return mine.length === others.length ? 0 : mine.length < others.length ? -1 : 1;
  }

  override toString(): string {
    const pre = this.preRelease.length === 0 ? '' : `-${this.preRelease.join('.')}`;
    return `${this.numbers.join('.')}${pre}${this.build.length === 0 ? '' : `+${this.build.join('.')}`}`;
  }
}

/** The order of two identifiers. Numbers come before texts. */
function comparePart(a: string | bigint, b: string | bigint): -1 | 0 | 1 {
  if (typeof a !== typeof b) return typeof a === 'bigint' ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The version in a text, or the error of the text. */
export function readVersion(text: string): SemanticVersion | string {
  if (text === '') return 'Version string empty';
  if (text.length > MAX_LENGTH) return 'Version string too long';
  const [major, minor, ...more] = text.split('.');
  if (major === undefined || minor === undefined || more.length === 0) return 'No Major.Minor.Patch elements found';
  let patch = more.join('.');
  let build: string[] = [];
  let pre: string[] = [];
  const plus = patch.indexOf('+');
  if (plus >= 0) {
    build = patch.slice(plus + 1).split('.');
    patch = patch.slice(0, plus);
  }
  const dash = patch.indexOf('-');
  if (dash >= 0) {
    pre = patch.slice(dash + 1).split('.');
    patch = patch.slice(0, dash);
  }
  const names = ['major', 'minor', 'patch'];
  for (const [i, number] of [major, minor, patch].entries()) {
    const problem = numberProblem(number, names[i]!);
    if (problem !== undefined) return problem;
  }
  const problem = [...pre.map(preProblem), ...build.map(buildProblem)].find((each) => each !== undefined);
  if (problem !== undefined) return problem;
  const parts = pre.map((part) => (/^[0-9]+$/.test(part) ? BigInt(part) : part));
  return new SemanticVersion([BigInt(major), BigInt(minor), BigInt(patch)], parts, build);
}

function numberProblem(digits: string, name: string): string | undefined {
  if (!/^[0-9]+$/.test(digits)) {
    return `Invalid character(s) found in ${name} number ${JSON.stringify(digits)}`;
  }
  if (!NUMBER.test(digits)) {
    return `${name[0]!.toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${JSON.stringify(digits)}`;
  }
  return BigInt(digits) > MAX ? `strconv.ParseUint: parsing ${JSON.stringify(digits)}: value out of range` : undefined;
}

function preProblem(part: string): string | undefined {
  if (part === '') return 'Prerelease is empty';
  if (!PART.test(part)) return `Invalid character(s) found in prerelease ${JSON.stringify(part)}`;
  if (!/^[0-9]+$/.test(part)) return undefined;
  if (!NUMBER.test(part)) {
    return `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(part)}`;
  }
  return BigInt(part) > MAX ? `strconv.ParseUint: parsing ${JSON.stringify(part)}: value out of range` : undefined;
}

function buildProblem(part: string): string | undefined {
  if (part === '') return 'Build meta data is empty';
  return PART.test(part) ? undefined : `Invalid character(s) found in build meta data ${JSON.stringify(part)}`;
}

/** Like `readVersion`, for texts that begin with `v`, lack numbers, or have leading zeros: `v1.02`. */
export function readLooseVersion(text: string): SemanticVersion | string {
  const [major, minor, ...more] = text.replace(/^v/, '').split('.');
  const parts = [major, minor, more.length === 0 ? undefined : more.join('.')]
    .filter((part) => part !== undefined)
    .map((part) => (part.length > 1 ? withoutZeros(part) : part));
  if (parts.length < 3 && /[+-]/.test(parts.at(-1)!)) {
    return 'short version cannot contain PreRelease/Build meta data';
  }
  while (parts.length < 3) parts.push('0');
  return readVersion(parts.join('.'));
}

/** Keeps one zero if no digit follows. */
function withoutZeros(part: string): string {
  const rest = part.replace(/^0+/, '');
  return /^[0-9]/.test(rest) ? rest : `0${rest}`;
}
