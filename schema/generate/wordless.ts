import { createNaming } from '#base/naming/create-naming.ts';
import type { MessageType } from '../descriptors/types.ts';
import { Words, type WordsByMessage } from '../words/words.ts';

/** How many published messages and fields have no words. Each counts once for all versions. */
export interface Wordless {
  readonly messages: number;
  readonly fields: number;
}

/**
 * Counts messages and fields without words. Lists of objects need no words, and neither do fields of messages that are
 * single values in JSON (times, quantities), because no document shows them.
 */
export function wordless(versions: ReadonlyMap<string, readonly MessageType[]>, words: WordsByMessage): Wordless {
  const read = new Words(words, createNaming('orch'));
  let [messages, fields] = [0, 0];
  for (const all of versions.values()) {
    const published = all.filter((message) => message.published && !isList(message));
    if (published.length === 0) continue;
    if (!published.some((message) => read.describesMessage(message))) messages++;
    const names = new Map(
      published
        .filter(({ jsonForm }) => jsonForm === 'object')
        .flatMap((message) => message.jsonFields.map(({ name }) => [name, message] as const)),
    );
    for (const [name, message] of names) {
      if (name !== 'metadata' && !read.describes(message, name)) fields++;
    }
  }
  return { messages, fields };
}

function isList({ typeMeta, shortName, byJsonName }: MessageType): boolean {
  return typeMeta && shortName.endsWith('List') && byJsonName.has('items');
}

/** Words that add no information to the name of a field. */
const FILLERS =
  /^(?:the|a|an|of|for|is|are|this|that|it|its|in|to|by|which|field|value|object|pod|container|resource)$/;

/** Whether a text only repeats the name of its field. */
export function repeatsName(name: string, text: string): boolean {
  const known = new Set(wordsOf(name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')));
  return wordsOf(text).every((word) => known.has(word) || FILLERS.test(word));
}

function wordsOf(text: string): string[] {
  return [...text.toLowerCase().matchAll(/[a-z]+/g)].map(([word]) => word);
}
