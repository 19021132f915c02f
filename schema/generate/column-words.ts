import { isObject } from '#base/json/json-value.ts';
import { ProtoError, type ProtoFile, type ProtoMessage } from '../descriptors/proto-data.ts';
import { wordsKey } from '../words/words.ts';
import { parseYaml } from '../yaml/parse.ts';

const EVERY = 'every';

interface Columned {
  readonly columns?: readonly { readonly name: string }[];
}

/**
 * The files, with a description for each column of a table. The descriptions come from the text of
 * `proto/columns.yaml`, which has descriptions for all kinds and for single kinds.
 * @throws ProtoError if a column has no words, or if words belong to no column
 */
export function withColumnWords(files: readonly ProtoFile[], yaml: Uint8Array): ProtoFile[] {
  const words = readColumnWords(yaml);
  const unused = new Set(words.keys());
  const ofColumn = (key: string, name: string): string => {
    for (const place of [`${key} ${name}`, `${EVERY} ${name}`]) {
      const text = words.get(place);
      if (text === undefined) continue;
      unused.delete(place);
      return text;
    }
    throw new ProtoError(`columns.yaml: no words for the column ${name} of ${key}`);
  };
  const described = files.map((file) => ({
    ...file,
    messages: file.messages.map((message) => ofMessage(message, wordsKey(`${file.package}.${message.name}`), ofColumn)),
  }));
  const [left] = unused;
  if (left !== undefined) throw new ProtoError(`columns.yaml: proto/ has no such column: ${left}`);
  return described;
}

function ofMessage(message: ProtoMessage, key: string, ofColumn: (key: string, name: string) => string): ProtoMessage {
  const resource = message.options?.['resource'] as Columned | undefined;
  if (resource?.columns === undefined) return message;
  const columns = resource.columns.map((column) => ({ ...column, description: ofColumn(key, column.name) }));
  return { ...message, options: { ...message.options, resource: { ...resource, columns } } };
}

/** Texts by `KIND COLUMN`. */
function readColumnWords(yaml: Uint8Array): Map<string, string> {
  const { value, duplicates } = parseYaml(yaml);
  if (duplicates.length > 0) throw new ProtoError(`columns.yaml: ${duplicates[0]}`);
  const words = new Map<string, string>();
  for (const [kind, columns] of Object.entries(isObject(value) ? value : {})) {
    for (const [name, text] of Object.entries(isObject(columns) ? columns : {})) {
      const isSentence = typeof text === 'string' && /\.$/.test(text);
      if (!isSentence)
        throw new ProtoError(`columns.yaml: ${kind}: ${name}: not a sentence, which ends with a full stop`);
      words.set(`${kind} ${name}`, text);
    }
  }
  return words;
}
