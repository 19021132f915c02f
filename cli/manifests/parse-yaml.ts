import { parseAllDocuments, type ScalarTag } from 'yaml';
import { JsonNumber } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import { plainValue } from '#schema/yaml/scalars.ts';
import { CommandError } from '../framework/errors.ts';
import { yamlMistake } from './yaml-mistake.ts';

/** The largest number of expanded aliases in a text. More aliases are an attack (a "billion laughs"). */
const MOST_ALIASES = 1000;

/** Matches a text that has directives but no document. The message about it is different. */
const DIRECTIVES_ALONE = /^(?:[ \t]*(?:#.*)?\n)*%(?![\s\S]*^---)/m;

const CONTROL = /(?![\t\n\r])\p{Cc}/u;

/**
 * The documents of a YAML text, as values. If a key is repeated, the last value is used. Integers keep all of their
 * digits. With `plainWords`, the words `yes`, `on`, `n` and similar ones are texts, not booleans.
 * @throws CommandError that names the source and the line
 */
export function parseYamlDocuments(text: string, source: string, plainWords = false): unknown[] {
  const fail = (what: string): never => {
    throw new CommandError(`error parsing ${source}: error converting YAML to JSON: yaml: ${what}`);
  };
  if (CONTROL.test(text)) fail('control characters are not allowed');
  if (DIRECTIVES_ALONE.test(text)) fail(`line ${text.split('\n').length - 1}: did not find expected <document start>`);
  const { documents, notJson } = readAll(text, plainWords);
  if (notJson !== undefined)
    throw new CommandError(`error parsing ${source}: error converting YAML to JSON: ${notJson}`);
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => {
    const [error] = document.errors;
    if (error !== undefined) fail(yamlMistake(text, error));
    try {
      return document.toJS({ maxAliasCount: MOST_ALIASES, reviver: (_, value) => asJson(value) }) as unknown;
    } catch (problem) {
      const { message } = problem as Error;
      const [, anchor] = /^Unresolved alias.*: (\S+)$/.exec(message) ?? [];
      return fail(anchor === undefined ? message : `unknown anchor '${anchor}' referenced`);
    }
  });
}

/** The documents as the package parses them, and the error about the first scalar that JSON cannot express. */
function readAll(text: string, plainWords: boolean) {
  let notJson: string | undefined;
  const resolve = (word: string): unknown => {
    try {
      return scalarValue(word, plainWords);
    } catch (error) {
      if (!(error instanceof MalformedBodyError)) throw error;
      notJson ??= error.message;
      return word;
    }
  };
  // The package accepts numbers to the base 60, but not all numbers of the field's clients.
  const own: ScalarTag[] = [
    { tag: 'tag:yaml.org,2002:plain', default: true, test: /^(?!<<$)/, resolve },
    ...['int', 'float'].map((kind) => ({ tag: `tag:yaml.org,2002:${kind}`, resolve })),
  ];
  const documents = parseAllDocuments(text, {
    version: '1.1',
    schema: 'yaml-1.1',
    customTags: (tags) => [...own, ...tags],
    uniqueKeys: false,
    prettyErrors: false,
  });
  return { documents, notJson };
}

const INTEGER = /^[-+]?[1-9][0-9]*$/;
/** The words that only YAML 1.1 treats as booleans. */
const FORMER_TRUTH = /^(?:y|yes|on|n|no|off)$/i;

/** The value of a scalar without quotes, with the same meaning as on the server. Integers keep all digits. */
function scalarValue(text: string, plainWords: boolean): unknown {
  if (plainWords && FORMER_TRUTH.test(text)) return text;
  if (INTEGER.test(text)) return BigInt(text);
  const value = plainValue(text);
  return value instanceof JsonNumber ? BigInt(value.text) : value;
}

/** A value as JSON. A binary value becomes its text in base64, as in objects. */
function asJson(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : new JsonNumber(String(value));
  }
  return value instanceof Uint8Array ? Buffer.from(value).toString() : value;
}
