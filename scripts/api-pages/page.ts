import type { FieldType, MessageType, ValueType } from '#schema/descriptors/types.ts';
import type { Words } from '#schema/words/words.ts';
import { type DocumentedKind, messagesOf } from './documented-kinds.ts';

/** The name of the page that describes each message. */
export type Homes = ReadonlyMap<MessageType, string>;

/** The page of one kind as Markdown. `example` is the text of a manifest. */
export function pageOf(kind: DocumentedKind, homes: Homes, words: Words, example: string | undefined): string {
  const { resource, message, apiVersion, otherVersions } = kind;
  const facts = [
    `\`apiVersion: ${apiVersion}\`, \`kind: ${resource.kind}\``,
    `resource \`${[resource.plural, ...resource.shortNames].join('`, `')}\``,
    resource.namespaced ? 'in a namespace' : 'in no namespace',
    ...(otherVersions.length > 0 ? [`also as ${otherVersions.map((version) => `\`${version}\``).join(', ')}`] : []),
    ...(resource.storage === undefined ? ['nothing is stored'] : []),
  ];
  const parts = [`# ${resource.kind}`, words.ofMessage(message) ?? '', `${facts.join('; ')}.`];
  if (example !== undefined) parts.push('## Example', `\`\`\`yaml\n${example.trimEnd()}\n\`\`\``);
  parts.push('## Fields', fieldsOf(message, homes, words, kind.page));
  for (const inner of messagesOf(message))
    if (inner !== message && homes.get(inner) === kind.page) parts.push(sectionOf(inner, homes, words, kind.page));
  if (resource.columns.length > 0)
    parts.push(
      '## Columns',
      resource.columns.map(({ name, description = '' }) => `- ${name}: ${description}`).join('\n'),
    );
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** The page of messages that many kinds share. */
export function sharedPage(title: string, page: string, homes: Homes, words: Words): string {
  const own = [...homes].filter(([, home]) => home === page).map(([message]) => message);
  const sorted = own.sort((a, b) => (a.shortName < b.shortName ? -1 : 1));
  return `# ${title}\n\n${sorted.map((message) => sectionOf(message, homes, words, page)).join('\n\n')}\n`;
}

function sectionOf(message: MessageType, homes: Homes, words: Words, page: string): string {
  const about = words.ofMessage(message);
  const head = `## ${message.shortName}`;
  return [head, ...(about === undefined ? [] : [about]), fieldsOf(message, homes, words, page)].join('\n\n');
}

function fieldsOf(message: MessageType, homes: Homes, words: Words, page: string): string {
  const lines = message.jsonFields.map((field) => {
    const type = typeName(field, homes, page);
    const said = [words.ofField(message, field), ownership(field)].filter((text) => text !== undefined).join(' ');
    return `- \`${field.name}\` (${type}${field.required ? ', required' : ''})${said === '' ? '' : `: ${said}`}`;
  });
  return lines.length === 0 ? 'It has no fields.' : lines.join('\n');
}

function typeName(field: FieldType, homes: Homes, page: string): string {
  const one = valueName(field, homes, page);
  if (field.repeated) return `list of ${one}`;
  return field.map ? `map of ${one}` : one;
}

function valueName({ scalar, message }: ValueType, homes: Homes, page: string): string {
  if (message === undefined) return scalar === 'any' ? 'anything' : (scalar ?? '');
  if (message.jsonForm !== 'object') return message.jsonForm;
  const home = homes.get(message);
  if (home === undefined) return message.shortName;
  const anchor = `#${message.shortName.toLowerCase()}`;
  return `[${message.shortName}](${home === page ? '' : `${home}.md`}${anchor})`;
}

/** Who owns the parts of a list or a map when several managers apply it. */
function ownership({ repeated, map, listType, listMapKeys, mapType, patchMergeKey }: FieldType): string | undefined {
  if (map) return mapType === 'atomic' ? 'The whole map has one owner.' : 'Each entry has its own owners.';
  if (!repeated) return mapType === 'atomic' ? 'It is owned as a whole.' : undefined;
  if (listType === 'set') return 'Each item has its own owners.';
  const keys = listType === 'map' ? listMapKeys : listType === undefined && patchMergeKey ? [patchMergeKey] : undefined;
  return keys === undefined
    ? 'The whole list has one owner.'
    : `Each item has its own owners. An item is known by its ${keys.join(' and ')}.`;
}
