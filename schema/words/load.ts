import type { Naming } from '#base/naming/naming.ts';
import { WORDS_HASH } from './generated/words-hash.ts';
import { Words, type WordsByMessage } from './words.ts';

/** The source of the descriptions in documents. */
export interface WordsSource {
  /** Identifies the words of a build. Other words, and no words, have another hash. */
  readonly hash: string;
  /** The words; undefined if documents have none. They are in memory only while a caller keeps them. */
  load(): Promise<Words | undefined>;
}

/** A source for documents without descriptions. */
export const noWords: WordsSource = { hash: '', load: async () => undefined };

/**
 * Loads the words of `proto/words/`. They are in a separate module, which is loaded when a document is written for the
 * first time. So a replica that writes no document does not hold the words in memory.
 */
export function wordsSource(naming: Naming): WordsSource {
  let read: WeakRef<Words> | undefined;
  return {
    hash: WORDS_HASH,
    load: async () => {
      const { wordsText } = await import('./generated/words-text.ts');
      let words = read?.deref();
      if (words === undefined) {
        words = new Words(JSON.parse(wordsText) as WordsByMessage, naming);
        read = new WeakRef(words);
      }
      return words;
    },
  };
}
