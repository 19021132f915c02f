import {
  CelList,
  type CelMap,
  type CelValue,
  Duration,
  EvaluationError,
  isMap,
  Timestamp,
  TypeValue,
  typeNameOf,
  Unsigned,
} from '../cel-value.ts';
import { doubleText } from '../number-texts.ts';
import { durationText, timestampText } from '../time-values.ts';

/** The default number of digits after the dot. */
const DIGITS = 6;
/** The largest number of digits, so that texts do not grow without limit. */
const MAX_DIGITS = 10_000;

/** A clause of a format: `%.3f`. */
export interface Clause {
  readonly letter: 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';
  readonly digits: number | undefined;
}

/**
 * The parts of a format: texts, and clauses between them.
 * @param given the number of values
 * @throws EvaluationError if the format is malformed, or needs more values than are given
 */
export function parseFormat(format: string, given: number): readonly (string | Clause)[] {
  const parts: (string | Clause)[] = [];
  let clauses = 0;
  let text = '';
  for (let i = 0; i < format.length; ) {
    if (format[i] !== '%') text += format[i++];
    else if (format[i + 1] === '%') {
      text += '%';
      i += 2;
    } else {
      if (clauses >= given) throw new EvaluationError(`index ${clauses} out of range`);
      if (i + 1 >= format.length) throw new EvaluationError('unexpected end of string');
      const { clause, end } = parseClause(format, i + 1);
      parts.push(text, clause);
      text = '';
      clauses++;
      i = end;
    }
  }
  return [...parts, text];
}

function parseClause(format: string, start: number): { readonly clause: Clause; readonly end: number } {
  const [whole, dot, digits = ''] = /^(\.([0-9]*))?/.exec(format.slice(start, start + 30))!;
  const refuse = (problem: string) => new EvaluationError(`could not parse formatting clause: ${problem}`);
  const precision = (problem: string) => refuse(`error while parsing precision: ${problem}`);
  const at = start + whole.length;
  const letter = format[at];
  if (letter === undefined) throw precision('could not find end of precision specifier');
  if (dot !== undefined && digits === '') {
    throw precision('error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax');
  }
  if (Number(digits) > MAX_DIGITS) {
    throw precision(`precision ${digits} exceeds maximum allowed precision ${MAX_DIGITS}`);
  }
  if (!isLetter(letter)) throw refuse(`unrecognized formatting clause "${letter}"`);
  return { clause: { letter, digits: dot === undefined ? undefined : Number(digits) }, end: at + 1 };
}

function isLetter(letter: string): letter is Clause['letter'] {
  return 'sdfebxXo'.includes(letter);
}

/** The types that each clause accepts. `dyn` may be any type. */
const TAKES: ReadonlyMap<string, { readonly types: readonly string[]; readonly refusal: string }> = new Map([
  ['d', { types: ['int', 'uint'], refusal: 'decimal clause can only be used on integers' }],
  ['f', { types: ['double', 'string'], refusal: 'fixed-point clause can only be used on doubles' }],
  ['e', { types: ['double', 'string'], refusal: 'scientific clause can only be used on doubles' }],
  ['b', { types: ['int', 'uint', 'bool'], refusal: 'only integers and bools can be formatted as binary' }],
  ['o', { types: ['int', 'uint'], refusal: 'octal clause can only be used on integers' }],
  ...['x', 'X'].map((letter): [string, { types: string[]; refusal: string }] => [
    letter,
    {
      types: ['int', 'uint', 'string', 'bytes'],
      refusal: 'only integers, byte buffers, and strings can be formatted as hex',
    },
  ]),
  [
    's',
    {
      types:
        'list map int uint double bool string google.protobuf.Timestamp bytes google.protobuf.Duration type null_type'.split(
          ' ',
        ),
      refusal:
        'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    },
  ],
]);

/** The error about the type of a value for a clause; undefined if the type is allowed. */
export function clauseProblem({ letter }: Clause, typeName: string): string | undefined {
  const { types, refusal } = TAKES.get(letter)!;
  if (typeName === 'dyn' || types.includes(typeName)) return undefined;
  return `error during formatting: ${refusal}, was given ${typeName}`;
}

/** A format in which values replace the clauses. */
export function formatText(format: string, values: CelList): string {
  let i = 0;
  return parseFormat(format, values.length)
    .map((part) => (typeof part === 'string' ? part : clauseText(part, values.at(i++))))
    .join('');
}

function clauseText(clause: Clause, value: CelValue): string {
  const problem = clauseProblem(clause, typeNameOf(value));
  if (problem !== undefined) throw new EvaluationError(problem);
  switch (clause.letter) {
    case 's':
      return shownText(value);
    case 'd':
      return String(wholeOf(value));
    case 'f':
      return fixedText(doubleIn(value, clause), clause.digits ?? DIGITS);
    case 'e':
      return scientificText(doubleIn(value, clause), clause.digits ?? DIGITS);
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : wholeOf(value).toString(2);
    case 'o':
      return wholeOf(value).toString(8);
    default:
      return hexText(value, clause.letter === 'X');
  }
}

function wholeOf(value: CelValue): bigint {
  return value instanceof Unsigned ? value.value : (value as bigint);
}

function hexText(value: CelValue, isUpper: boolean): string {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  const text = bytes instanceof Uint8Array ? Buffer.from(bytes).toString('hex') : wholeOf(value).toString(16);
  return isUpper ? text.toUpperCase() : text;
}

const NO_NUMBERS: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

/** A double, or the special value that a text names. */
function doubleIn(value: CelValue, clause: Clause): number {
  if (typeof value === 'number') return value;
  const named = NO_NUMBERS.get(value as string);
  if (named !== undefined) return named;
  throw new EvaluationError(
    `error during formatting: ${TAKES.get(clause.letter)!.refusal}, was given ${typeNameOf(value)}`,
  );
}

function noNumber(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '-∞';
}

/** The text of a double with this many digits after the dot. It is exact, and ties are rounded to even. */
function exactText(value: number, digits: number): string {
  const size = Math.abs(value);
  const shown = Math.min(digits, 100);
  const text = size < 1e21 ? size.toFixed(shown) : `${BigInt(size)}${shown === 0 ? '' : `.${'0'.repeat(shown)}`}`;
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return `${sign}${evenTie(text, size, shown)}${'0'.repeat(digits - shown)}`;
}

/** Rounds ties to the even digit, while the engine rounds them up. Only exact halves are ties. */
function evenTie(text: string, size: number, digits: number): string {
  if (digits > 20 || size >= 2 ** 52) return text;
  const more = size.toFixed(Math.min(digits + 60, 100));
  const rest = more.slice(more.indexOf('.') + 1 + digits);
  if (!/^50*$/.test(rest)) return text;
  const cut = more.slice(0, more.indexOf('.') + (digits === 0 ? 0 : digits + 1));
  return Number(cut.at(-1)) % 2 === 0 ? cut : text;
}

function fixedText(value: number, digits: number): string {
  if (!Number.isFinite(value)) return noNumber(value);
  const [whole = '', fraction] = exactText(value, digits).split('.');
  const grouped = whole.replace(/\B(?=(?:[0-9]{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** The number before the letter is the smallest width, except in the fixed form. */
function scientificText(value: number, digits: number): string {
  if (!Number.isFinite(value)) return noNumber(value).padStart(digits);
  const [mantissa = '', exponent = '0'] = value.toExponential(DIGITS).split('e');
  const power = Math.abs(Number(exponent));
  const raised = [...String(power).padStart(2, '0')].map((digit) => SUPERSCRIPTS[Number(digit)]).join('');
  return `${mantissa}×10${Number(exponent) < 0 ? '⁻' : ''}${raised}`.padStart(digits);
}

/** A value in the form of `%s`. */
function shownText(value: CelValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return doubleText(value);
  if (value instanceof Uint8Array) return bytesText(value);
  if (value instanceof Unsigned) return String(value.value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof CelList) return `[${[...value].map(literalText).join(', ')}]`;
  return typeof value === 'object' && value !== null && isMap(value) ? mapText(value) : String(value);
}

function bytesText(value: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    throw new EvaluationError('error during formatting: could not convert argument to string');
  }
}

/** A value inside a list or map, in the syntax of expressions. */
function literalText(value: CelValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Uint8Array) return `b${JSON.stringify(bytesText(value))}`;
  if (typeof value === 'number') return Number.isFinite(value) ? exactText(value, DIGITS) : `"${doubleText(value)}"`;
  if (value instanceof Timestamp) return `timestamp("${timestampText(value)}")`;
  if (value instanceof Duration) return `duration("${durationText(value)}")`;
  const problem = clauseProblem({ letter: 's', digits: undefined }, typeNameOf(value));
  if (problem !== undefined) {
    throw new EvaluationError(`error during formatting: no formatting function for ${typeNameOf(value)}`);
  }
  return shownText(value);
}

const KEYS = new Set(['string', 'bool', 'int', 'uint']);

function mapText(map: CelMap): string {
  const members = map.keys().map((key) => {
    if (!KEYS.has(typeNameOf(key))) {
      throw new EvaluationError(
        `error during formatting: no formatting function for map key of type ${typeNameOf(key)}`,
      );
    }
    return [literalText(key), literalText(map.get(key) ?? null)] as const;
  });
  members.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}
