import { type Entry, since, until } from '#base/release/in-force.ts';
import { type Costs, countOfParts, method, noLonger, type Overload, partsOf } from '../cel-function.ts';
import { BOOL, INT, listOf, STRING } from '../cel-type.ts';
import { CelList, EvaluationError } from '../cel-value.ts';
import type { Budget } from '../expression.ts';
import { capped, estimatedSize, exactly, type Operand, sumOf, walkOf } from '../sizes.ts';
import { patternSize } from '../texts/pattern-size.ts';
import { compilePattern } from '../texts/patterns.ts';

/** A match costs a quarter of the pattern for each part of the text by estimate. */
const PATTERN_FACTOR = 0.25;
/** The number of steps, of a match or of compiling a pattern, that cost one unit. */
const STEPS = 10;
/** Each match may read the whole text, but this is rare. So this share of the worst case is charged. */
const ALL_SHARE = 30;

/** By estimate a text is one longer than it is, so that a match of an empty one costs something. */
function estimate(text?: Operand, pattern?: Operand): number {
  return capped(walkOf(sumOf(estimatedSize(text!), exactly(1))) * walkOf(estimatedSize(pattern!), PATTERN_FACTOR));
}

/**
 * A match takes at most as many steps as the pattern has parts for each character, and making it some for each part.
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

/** An empty match counts, except at the end of the previous match. */
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

/** The budget for finding all matches. */
function chargeAll(budget: Budget, text: string, pattern: string): void {
  charge(budget, text, pattern);
  budget.charge(Math.ceil((text.length * text.length * patternSize(pattern)) / STEPS / ALL_SHARE));
}

const found: Costs = { estimate, charge };
const all = { ...found, charge: chargeAll, takesPattern: true };
const sizeOfAll = (text?: Operand) => countOfParts(text);

/** The matches of a pattern in a text. Patterns use the dialect with linear time. */
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

/** Whether a pattern is somewhere in a text: of the language itself. */
export const matchesFunction: Overload = method('matches', [STRING, STRING], BOOL, matchesPattern, {
  estimate,
  charge,
  takesPattern: true,
});
