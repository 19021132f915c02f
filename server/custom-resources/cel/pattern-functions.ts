import { compilePattern } from '../schema/patterns.ts';
import { matchText, method, type Overload } from './cel-function.ts';
import { INT, listOf, STRING } from './cel-type.ts';
import { CelList, EvaluationError } from './cel-value.ts';

function compiled(pattern: string) {
  try {
    return compilePattern(pattern);
  } catch (error) {
    throw new EvaluationError((error as Error).message);
  }
}

/** Whether a pattern matches somewhere in a text. */
export function matchesPattern(text: string, pattern: string): boolean {
  return compiled(pattern).matcher(text).find();
}

function find(text: string, pattern: string): string {
  const matcher = compiled(pattern).matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

function findAll(text: string, pattern: string, most = -1n): CelList {
  const matcher = compiled(pattern).matcher(text);
  const found: string[] = [];
  while ((most < 0n || found.length < Number(most)) && matcher.find()) found.push(matcher.group() ?? '');
  return new CelList(found);
}

/** What a pattern finds in a text. Patterns are of the dialect that takes linear time. */
export const patternFunctions: readonly Overload[] = [
  method('find', [STRING, STRING], STRING, find, { cost: matchText, size: (size = 1) => size }),
  method('findAll', [STRING, STRING], listOf(STRING), findAll, { cost: matchText, size: (size = 1) => size }),
  method('findAll', [STRING, STRING, INT], listOf(STRING), findAll, { cost: matchText, size: (size = 1) => size }),
];
