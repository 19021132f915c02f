import { createHash } from 'node:crypto';
import type { WordsByMessage } from '../words/words.ts';

const MADE = '// Made by npm run generate from proto/words/.\n';

/**
 * The TypeScript files of words. They contain the words as JSON, and a hash of the words and of the facts that
 * descriptions add to them.
 */
export function renderWords(words: WordsByMessage, facts: readonly string[]): [file: string, text: string][] {
  const json = JSON.stringify(words);
  const hash = createHash('sha256').update(json).update(facts.join('\n')).digest('hex').slice(0, 16);
  const literal = JSON.stringify(json).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return [
    ['words-hash.ts', `${MADE}export const WORDS_HASH = '${hash}';\n`],
    ['words-text.ts', `${MADE}export const wordsText: string =\n  '${literal}';\n`],
  ];
}
