import { RE2JS } from 're2js';
import { patternSize } from './pattern-size.ts';

/**
 * The largest number of parts of a pattern. Each part costs some hundred bytes, and some five microseconds in which no
 * other work is done.
 */
const MOST_PARTS = 5_000;
/**
 * The limit of the parts of all kept patterns together. The server keeps compiled patterns by their text, for a few
 * hundred schemas.
 */
const KEPT_PARTS = 200_000;
const KEPT_LENGTH = 2000;

const kept = new Map<string, RE2JS>();
let keptParts = 0;

/**
 * A pattern of a definition, in a dialect that takes linear time for any text.
 * @throws Error with a message that clients know (`error parsing regexp: missing closing ): …`)
 */
export function compilePattern(pattern: string): RE2JS {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  const size = patternSize(pattern);
  if (size > MOST_PARTS) throw new Error('error parsing regexp: expression too large');
  const compiled = RE2JS.compile(withoutNames(pattern));
  if (pattern.length > KEPT_LENGTH) return compiled;
  if (keptParts + size > KEPT_PARTS) {
    kept.clear();
    keptParts = 0;
  }
  keptParts += size;
  kept.set(pattern, compiled);
  return compiled;
}

const NAMES = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|(?<=\()\?P<\w+>/g;

/** A pattern without the names of its groups. Two groups may have the same name, and checks do not use the names. */
function withoutNames(pattern: string): string {
  return pattern.includes('(?P<') ? pattern.replace(NAMES, (part) => (part.startsWith('?P<') ? '' : part)) : pattern;
}

/** Whether a pattern matches somewhere in a text. */
export function matches(pattern: string, text: string): boolean {
  return compilePattern(pattern).matcher(text).find();
}

/** The error of a pattern; undefined if it is valid. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    return message.endsWith(' at end of expression') ? `${message}: \`\`` : message;
  }
}
