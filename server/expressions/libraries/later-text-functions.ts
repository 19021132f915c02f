import { define, method, type Overload } from '../cel-function.ts';
import { type CelType, DYN, listOf, STRING, typeText } from '../cel-type.ts';
import { type CelList, EvaluationError } from '../cel-value.ts';
import { chargeWalk } from '../charge-walk.ts';
import type { Expression } from '../expression.ts';
import { estimatedSize, type Operand, type Size, walkOf } from '../sizes.ts';
import { clauseProblem, formatText, parseFormat } from './text-format.ts';

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

/** A text in the syntax of expressions. */
function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression escapes these
  return `"${text.replace(/[\u0007\b\f\n\r\t\v\\"]/g, (character) => ESCAPES.get(character)!)}"`;
}

function quotedSize(text?: Operand): Size {
  const { least, most } = estimatedSize(text!);
  return { least: least + 2, most: most * 2 + 2 };
}

const RUNTIME_NAMES: ReadonlyMap<string, string> = new Map([
  ['null', 'null_type'],
  ['timestamp', 'google.protobuf.Timestamp'],
  ['duration', 'google.protobuf.Duration'],
  ['optional', 'optional_type'],
]);

function runtimeName(type: CelType): string {
  return RUNTIME_NAMES.get(type.kind) ?? (type.kind === 'list' || type.kind === 'map' ? type.kind : typeText(type));
}

/** Errors of a literal format, and of literal values. */
function formatProblem([format, values]: readonly Expression[]): string | undefined {
  const text = format?.constant?.value;
  if (typeof text !== 'string' || values?.parts === undefined) return undefined;
  try {
    const clauses = parseFormat(text, values.parts.length).filter((part) => typeof part !== 'string');
    for (const [i, clause] of clauses.entries()) {
      const problem = clauseProblem(clause, runtimeName(values.parts[i]!.type));
      if (problem !== undefined) return problem;
    }
    const [expected, given] = [clauses.length, values.parts.length];
    if (given <= expected) return undefined;
    return `too many arguments supplied to string.format (expected ${expected}, got ${given})`;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return error.message;
  }
}

/** Functions of texts since release 1.29. */
export const laterTextFunctions: readonly Overload[] = [
  method('format', [STRING, listOf(DYN)], STRING, (format: string, values: CelList) => formatText(format, values), {
    estimate: (format) => walkOf(estimatedSize(format!)),
    charge: (budget, format: string, values: CelList) => {
      budget.chargeText(format.length);
      chargeWalk(budget, values);
      // Each clause may write this many digits.
      for (const [, digits] of format.matchAll(/%\.([0-9]{1,5})/g)) budget.chargeText(Number(digits));
    },
    problem: formatProblem,
    mixesItems: true,
  }),
  define('strings.quote', [STRING], STRING, quoted, {
    estimate: (text) => walkOf(estimatedSize(text!)),
    size: quotedSize,
    charge: (budget, text: string) => budget.chargeText(text.length),
  }),
];
