import { remembered } from '#base/collections/remembered.ts';

/**
 * The size of one part of a pattern while it is read: the number of its own parts, and of the parts that a repetition
 * would repeat.
 */
interface Level {
  parts: number;
  last: number;
}

/** Matches escapes, classes, repetitions and brackets. Everything else is one character. */
const TOKEN =
  /\\Q[\s\S]*?(?:\\E|$)|\\[pP]\{[^}]*\}|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:[^\]]*:\]|[^\]\\])*\]|\{(\d{1,4})(?:(,)(\d{0,4}))?\}|[\s\S]/gu;

/** The number of characters of a class that take as much time as one part. */
const CLASS_LENGTH = 32;

/**
 * The approximate number of parts of the machine for a pattern. A repeated part counts once for each repetition. An
 * invalid pattern has a size too.
 */
export const patternSize: (pattern: string) => number = remembered(sizeOf, { most: 2000, longest: 2000 });

function sizeOf(pattern: string): number {
  const levels: Level[] = [{ parts: 1, last: 0 }];
  let level = levels[0]!;
  for (const [token, least, comma, most] of pattern.matchAll(TOKEN)) {
    if (token === '(') {
      level.parts += level.last;
      level.last = 0;
      level = { parts: 2, last: 0 };
      levels.push(level);
    } else if (token === ')' && levels.length > 1) {
      const { parts, last } = levels.pop()!;
      level = levels.at(-1)!;
      level.last = parts + last;
    } else if (least !== undefined) {
      level.last *= Math.max(Number(least) + (comma !== undefined && most === '' ? 1 : 0), Number(most ?? 0), 1);
    } else if (token === '*' || token === '+' || token === '?') {
      level.last += 1;
    } else {
      level.parts += level.last;
      level.last = token.startsWith('\\Q') ? token.length : Math.ceil(token.length / CLASS_LENGTH);
    }
  }
  return levels.reduce((total, { parts, last }) => total + parts + last, 0);
}
