import { parseAllDocuments, type Tags } from 'yaml';
import { JsonNumber } from '#base/json/json-value.ts';
import { CommandError } from '../framework/errors.ts';
import { yamlMistake } from './yaml-mistake.ts';

/** Aliases that a text may expand to; more is an attack (a "billion laughs"). */
const MOST_ALIASES = 1000;

/** The message about a document that is missing. */
const DIRECTIVES_ALONE = /^(?:[ \t]*(?:#.*)?\n)*%(?![\s\S]*^---)/m;

const CONTROL = /(?![\t\n\r])\p{Cc}/u;

/**
 * The documents of a YAML text, as values; of keys that are repeated the last counts, and whole numbers keep all of
 * their digits. `plainWords`: `yes`, `on`, `n` and their like are texts, not truths.
 * @throws CommandError that names the source and the line
 */
export function parseYamlDocuments(text: string, source: string, plainWords = false): unknown[] {
  const fail = (what: string): never => {
    throw new CommandError(`error parsing ${source}: error converting YAML to JSON: yaml: ${what}`);
  };
  if (CONTROL.test(text)) fail('control characters are not allowed');
  if (DIRECTIVES_ALONE.test(text)) fail(`line ${text.split('\n').length - 1}: did not find expected <document start>`);
  const documents = parseAllDocuments(text, {
    version: '1.1',
    schema: 'yaml-1.1',
    customTags: (tags) => {
      const without = (kind: string) => (tag: Tags[number]) =>
        typeof tag === 'string' || tag.tag !== `tag:yaml.org,2002:${kind}`;
      const timeless = tags.filter(without('timestamp'));
      return plainWords ? [...timeless.filter(without('bool')), 'bool'] : timeless;
    },
    uniqueKeys: false,
    prettyErrors: false,
    intAsBigInt: true,
  });
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

/** A value as JSON. A binary value becomes its text in base64, as in objects. */
function asJson(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : new JsonNumber(String(value));
  }
  return value instanceof Uint8Array ? Buffer.from(value).toString() : value;
}
