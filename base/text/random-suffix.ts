import { randomInt } from 'node:crypto';

/** Letters and digits that cannot form words. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** How many characters a random suffix has. */
export const SUFFIX_LENGTH = 5;

/** The random part that makes a name unique. */
export function randomSuffix(): string {
  return Array.from({ length: SUFFIX_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
