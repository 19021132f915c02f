import { createNaming } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { FieldType, MessageType } from '../descriptors/types.ts';
import { factsOf, factsOfKind, viewsOf } from './facts.ts';

/** The words of `proto/words/` for one message: about the message, and about its fields by their JSON names. */
export interface MessageWords {
  readonly about?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** All words, by the names of messages as in {@link wordsKey}. */
export type WordsByMessage = Readonly<Record<string, MessageWords>>;

/**
 * The name under which `proto/words/` describes a message: all versions of a message share their words.
 *
 * @example wordsKey('autoscaling.v2beta2.MetricSpec') // => 'autoscaling.MetricSpec'
 */
export function wordsKey(message: string): string {
  return message.replace(/\.v\d\w*\./, '.');
}

const NEUTRAL_PREFIX = createNaming('orch').extensionPrefix;

/** The descriptions of messages and fields for people: the words of `proto/words/`, and facts from descriptors. */
export class Words {
  readonly #words: WordsByMessage;
  readonly #naming: Naming;

  /** @param words the words in the neutral naming; the results have the words of `naming` */
  constructor(words: WordsByMessage, naming: Naming) {
    this.#words = words;
    this.#naming = naming;
  }

  /** The purpose of a message, and the releases that have it; undefined if neither is known. */
  ofMessage(message: MessageType): string | undefined {
    const about = this.#of(message)?.about;
    const text = [...(about === undefined ? [] : [about]), ...factsOfKind(message)].join(' ');
    return text === '' ? undefined : this.#naming.translate(text);
  }

  /**
   * The description of a field: its words, then a sentence for each fact of its descriptor. Undefined if there is
   * neither.
   */
  ofField(message: MessageType, field: FieldType): string | undefined {
    const words = this.#wordsOfField(message, this.#neutral(field.name));
    const facts = factsOf(field, viewsOf(message, field.name));
    const text = [...(words === undefined ? [] : [words]), ...facts].join(' ');
    return text === '' ? undefined : this.#naming.translate(text);
  }

  /** Whether a message has words, apart from facts. */
  describesMessage(message: MessageType): boolean {
    return this.#of(message)?.about !== undefined;
  }

  /** Whether a field has words, apart from facts. */
  describes(message: MessageType, field: string): boolean {
    return this.#wordsOfField(message, this.#neutral(field)) !== undefined;
  }

  /** The name of a field as `proto/words/` has it: extensions of schemas carry the word of the profile. */
  #neutral(name: string): string {
    const { extensionPrefix } = this.#naming;
    return name.startsWith(extensionPrefix) ? NEUTRAL_PREFIX + name.slice(extensionPrefix.length) : name;
  }

  #of(message: MessageType): MessageWords | undefined {
    const key = wordsKey(message.name);
    return Object.hasOwn(this.#words, key) ? this.#words[key] : undefined;
  }

  #wordsOfField(message: MessageType, name: string): string | undefined {
    const fields = this.#of(message)?.fields;
    if (fields !== undefined && Object.hasOwn(fields, name)) return fields[name];
    for (const inlined of message.fields) {
      if (!inlined.inline || inlined.message === undefined) continue;
      const words = this.#wordsOfField(inlined.message, name);
      if (words !== undefined) return words;
    }
    return undefined;
  }
}
