import { randomInt } from 'node:crypto';

/** Letters and digits that make no words. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** How many characters a random suffix has. */
export const SUFFIX_LENGTH = 5;

/** What makes a name one of its own. */
export function randomSuffix(): string {
  return Array.from({ length: SUFFIX_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
