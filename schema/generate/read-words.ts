import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '#base/json/json-value.ts';
import { ProtoError } from '../descriptors/proto-data.ts';
import type { MessageType, Schema } from '../descriptors/types.ts';
import { type MessageWords, type WordsByMessage, wordsKey } from '../words/words.ts';
import { parseYaml } from '../yaml/parse.ts';

/**
 * Reads `proto/words/`. There is one YAML file for each package, named like the package without its version. For each
 * message it holds a text (`about`) and the texts of its `fields` by their JSON names.
 * @throws ProtoError if a file describes something that `proto/` does not have, or has no words about it
 */
export function readWords(folder: string, schema: Schema): WordsByMessage {
  const known = messagesByKey(schema);
  const words = new Map<string, MessageWords>();
  for (const name of readdirSync(folder).sort()) {
    const { value, duplicates } = parseYaml(readFileSync(join(folder, name)));
    if (duplicates.length > 0) throw new ProtoError(`words/${name}: ${duplicates[0]}`);
    for (const [message, said] of Object.entries(objectIn(value, `words/${name}`))) {
      const key = `${name.slice(0, -'.yaml'.length)}.${message}`;
      const place = `words/${name}: ${message}`;
      words.set(key, messageWords(objectIn(said, place), known.get(key), place));
    }
  }
  requireOwnWords(words, known);
  return Object.fromEntries(words);
}

/** Checks that the words of a field and of its message differ, because documents show them together. */
function requireOwnWords(
  words: ReadonlyMap<string, MessageWords>,
  known: ReadonlyMap<string, readonly MessageType[]>,
): void {
  for (const [key, { fields = {} }] of words)
    for (const [name, text] of Object.entries(fields))
      for (const version of known.get(key) ?? []) {
        const { message } = version.byJsonName.get(name) ?? {};
        if (message !== undefined && words.get(wordsKey(message.name))?.about === text)
          throw new ProtoError(`words: ${key}.${name} repeats the words of its message ${message.name}`);
      }
}

/** All messages by key. The messages of a key are the versions of one message. */
export function messagesByKey(schema: Schema): ReadonlyMap<string, readonly MessageType[]> {
  const known = new Map<string, MessageType[]>();
  for (const message of schema.messages.values()) {
    const key = wordsKey(message.name);
    const versions = known.get(key);
    if (versions === undefined) known.set(key, [message]);
    else versions.push(message);
  }
  return known;
}

function messageWords(
  said: Readonly<Record<string, unknown>>,
  versions: readonly MessageType[] | undefined,
  place: string,
): MessageWords {
  if (versions === undefined) throw new ProtoError(`${place}: proto/ has no such message`);
  for (const name of Object.keys(said)) {
    if (name !== 'about' && name !== 'fields') throw new ProtoError(`${place}: ${name} is neither about nor fields`);
  }
  const { about, fields } = said;
  const texts = new Map<string, string>();
  for (const [name, text] of Object.entries(fields === undefined ? {} : objectIn(fields, `${place}: fields`))) {
    if (!versions.some(({ byJsonName }) => byJsonName.has(name)))
      throw new ProtoError(`${place}: proto/ has no field ${name}`);
    texts.set(name, sentence(text, `${place}.${name}`));
  }
  return {
    ...(about !== undefined && { about: sentence(about, place) }),
    ...(fields !== undefined && { fields: Object.fromEntries(texts) }),
  };
}

function objectIn(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw new ProtoError(`${place}: not a map`);
  return value;
}

function sentence(value: unknown, place: string): string {
  if (typeof value !== 'string') throw new ProtoError(`${place}: not a text`);
  const text = value.replace(/\s+/g, ' ').trim();
  if (!/[.:]$/.test(text)) throw new ProtoError(`${place}: not a sentence, which ends with a full stop`);
  return text;
}
