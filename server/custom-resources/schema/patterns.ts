import { RE2JS } from 're2js';
import { remembered } from '../../base/remembered.ts';

/** Compiled patterns are kept by their text, as many as a few hundred schemas have. */
const KEPT = { most: 2000, longest: 2000 };

/**
 * A pattern of a definition, in a dialect that takes linear time on any text. Throws an Error in the words that clients
 * know (`error parsing regexp: missing closing ): …`).
 */
export const compilePattern: (pattern: string) => RE2JS = remembered((pattern) => RE2JS.compile(pattern), KEPT);

/** Whether a pattern matches somewhere in a text. */
export function matches(pattern: string, text: string): boolean {
  return compilePattern(pattern).matcher(text).find();
}

/** What is wrong with a pattern; undefined when nothing is. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
