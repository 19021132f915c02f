import {
  labelName,
  labelValue,
  type NameCheck,
  qualifiedName,
  serviceName,
  subdomainName,
} from '#schema/validation/names.ts';
import { define, method, type Overload } from '../cel-function.ts';
import { FORMAT, listOf, optionalOf, STRING } from '../cel-type.ts';
import { CelList, LibraryValue, OptionalValue } from '../cel-value.ts';
import { capped, estimatedSize, walkOf } from '../sizes.ts';
import { hasFormat } from '../texts/formats.ts';
import { ParsedUrl } from './parsed-url.ts';

type Problems = (text: string) => readonly string[];

/** A format of texts. */
class NamedFormat extends LibraryValue {
  readonly kind = 'format';
  readonly name: string;
  readonly problems: Problems;

  constructor(name: string, problems: Problems) {
    super();
    this.name = name;
    this.problems = problems;
  }

  equals(other: LibraryValue): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }
}

/** The format of a name, and the format of a prefix of generated names. */
function names(name: string, check: NameCheck): [string, Problems][] {
  return [
    [name, (text) => check(text)],
    [`${name}Prefix`, (text) => check(text, true)],
  ];
}

function schemaFormat(format: string, problem: string): Problems {
  return (text) => (hasFormat(format, text) ? [] : [problem]);
}

function uriProblems(text: string): readonly string[] {
  try {
    new ParsedUrl(text);
    return [];
  } catch (error) {
    return [`parse ${JSON.stringify(text)}: ${(error as Error).message}`];
  }
}

const PROBLEMS: readonly [string, Problems][] = [
  ...names('dns1123Label', labelName),
  ...names('dns1123Subdomain', subdomainName),
  ...names('dns1035Label', serviceName),
  ['qualifiedName', qualifiedName],
  ['labelValue', labelValue],
  ['uri', uriProblems],
  ['uuid', schemaFormat('uuid', 'does not match the UUID format')],
  ['byte', schemaFormat('byte', 'invalid base64')],
  ['date', schemaFormat('date', 'invalid date')],
  ['datetime', schemaFormat('datetime', 'invalid datetime')],
];

const FORMATS: ReadonlyMap<string, NamedFormat> = new Map(
  PROBLEMS.map(([name, problems]) => [name, new NamedFormat(name, problems)]),
);

/** The estimate for matching a text with a pattern of this many characters. A quarter of them count as parts. */
const PATTERN_PARTS = 32;
/** The steps of the name patterns for each character. */
const STEPS = 10;

function validate(format: NamedFormat, text: string): OptionalValue {
  const problems = format.problems(text);
  return problems.length === 0 ? OptionalValue.none : OptionalValue.of(new CelList(problems));
}

/** Functions for the formats of texts: names, addresses, times. */
export const formatFunctions: readonly Overload[] = [
  ...[...FORMATS].map(([name, format]) => define(`format.${name}`, [], FORMAT, () => format)),
  define('format.named', [STRING], optionalOf(FORMAT), (name: string) => OptionalValue.of(FORMATS.get(name))),
  method('validate', [FORMAT, STRING], optionalOf(listOf(STRING)), validate, {
    estimate: (_format, text) => capped(walkOf(estimatedSize(text!)) * PATTERN_PARTS),
    charge: (budget, _format: NamedFormat, text: string) => budget.charge(1 + Math.ceil(text.length / STEPS) * STEPS),
  }),
];
