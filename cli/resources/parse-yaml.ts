import { parseAllDocuments } from 'yaml';
import { CommandError } from '../frame/errors.ts';

/** Aliases that a text may expand to; more is an attack (a "billion laughs"). */
const MOST_ALIASES = 1000;

/** The documents of a YAML text, as values. @throws CommandError that names the source and the line */
export function parseYamlDocuments(text: string, source: string): unknown[] {
  const documents = parseAllDocuments(text, {
    version: '1.1',
    schema: 'yaml-1.1',
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:timestamp'),
    uniqueKeys: true,
    prettyErrors: true,
    intAsBigInt: false,
  });
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => {
    const [error] = document.errors;
    if (error !== undefined) {
      const line = error.linePos?.[0].line;
      const what = error.message.split(/ at line|\n/)[0]!;
      throw new CommandError(
        `error parsing ${source}: error converting YAML to JSON: yaml: ${line === undefined ? '' : `line ${line}: `}${what}`,
        { plain: true },
      );
    }
    return document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown;
  });
}
