import { type Entry, since, until } from '#base/release/in-force.ts';
import { type Costs, countOfParts, method, noLonger, type Overload, partsOf } from '../cel-function.ts';
import { BOOL, INT, listOf, STRING } from '../cel-type.ts';
import { CelList, EvaluationError } from '../cel-value.ts';
import type { Budget } from '../expression.ts';
import { capped, estimatedSize, exactly, type Operand, sumOf, walkOf } from '../sizes.ts';
import { patternSize } from '../texts/pattern-size.ts';
import { compilePattern } from '../texts/patterns.ts';

/** The estimate of a match: a quarter of the pattern for each part of the text. */
const PATTERN_FACTOR = 0.25;
/** The number of steps, of a match or of compiling a pattern, that cost one unit. */
const STEPS = 10;
/** The charged share of the worst case. In the worst case each match reads the whole text, but this is rare. */
const ALL_SHARE = 30;

/** The estimate counts one more character, so that a match in an empty text has a cost. */
function estimate(text?: Operand, pattern?: Operand): number {
  return capped(walkOf(sumOf(estimatedSize(text!), exactly(1))) * walkOf(estimatedSize(pattern!), PATTERN_FACTOR));
}

/**
 * The steps of a match: at most the number of pattern parts for each character, and some steps for each part to start.
 */
function charge(budget: Budget, text: string, pattern: string): void {
  const size = patternSize(pattern);
  budget.charge(1 + Math.ceil(((text.length + 1) * size) / STEPS) + size * STEPS);
}

function compiled(pattern: string) {
  try {
    return compilePattern(pattern);
  } catch (error) {
    throw new EvaluationError((error as Error).message);
  }
}

function matchesPattern(text: string, pattern: string): boolean {
  return compiled(pattern).matcher(text).find();
}

function find(text: string, pattern: string): string {
  const matcher = compiled(pattern).matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

/** Finds all matches. An empty match counts, except at the end of the previous match. */
function findAll(text: string, pattern: string, most = -1n): CelList {
  const matcher = compiled(pattern).matcher(text);
  const found: string[] = [];
  let end = -1;
  while ((most < 0n || found.length < Number(most)) && matcher.find()) {
    const match = matcher.group() ?? '';
    if (match !== '' || matcher.start() !== end) found.push(match);
    end = matcher.end();
  }
  return new CelList(found);
}

/** Charges the budget for finding all matches. */
function chargeAll(budget: Budget, text: string, pattern: string): void {
  charge(budget, text, pattern);
  budget.charge(Math.ceil((text.length * text.length * patternSize(pattern)) / STEPS / ALL_SHARE));
}

const found: Costs = { estimate, charge };
const all = { ...found, charge: chargeAll, takesPattern: true };
const sizeOfAll = (text?: Operand) => countOfParts(text);

/** Functions that find matches of a pattern in a text. Patterns use the dialect with linear time. */
export const patternFunctions: readonly Entry<Overload>[] = [
  method('find', [STRING, STRING], STRING, find, { ...found, answer: noLonger, takesPattern: true }),
  ...[
    [STRING, STRING],
    [STRING, STRING, INT],
  ].flatMap((types) => [
    until('1.26', method('findAll', types, listOf(STRING), findAll, { ...all, answer: partsOf })),
    since('1.26', method('findAll', types, listOf(STRING), findAll, { ...all, size: sizeOfAll })),
  ]),
];

/** Whether a pattern matches somewhere in a text. This function belongs to the language itself. */
export const matchesFunction: Overload = method('matches', [STRING, STRING], BOOL, matchesPattern, {
  estimate,
  charge,
  takesPattern: true,
});
