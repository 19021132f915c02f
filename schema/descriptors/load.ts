import { createNaming } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import { type BuiltMessage, buildMessages } from './build-messages.ts';
import { buildGroupVersions, buildResource } from './build-resources.ts';
import { type ProtoFolder, readProtoFolder } from './proto-folder.ts';
import type { MessageType, Schema } from './types.ts';

let folder: ProtoFolder | undefined;
const loaded = new Map<string, Schema>();

/**
 * Everything in `proto/`, read once per process and naming profile. The profile decides the names of schema extensions
 * in JSON and the texts of deprecation warnings. Throws `ProtoError` when a file is wrong: a programming error.
 */
export function loadSchema(
  naming: Pick<Naming, 'profile' | 'extensionPrefix' | 'apiVersion'> = createNaming('orch'),
): Schema {
  let schema = loaded.get(naming.profile);
  if (schema === undefined) {
    folder ??= readProtoFolder();
    schema = buildSchema(folder, naming);
    loaded.set(naming.profile, schema);
  }
  return schema;
}

/** A message that looks the same in every naming profile, from whichever has been read. */
export function sharedMessage(name: string): MessageType {
  const [schema = loadSchema()] = loaded.values();
  return schema.message(name);
}

/** Makes the descriptors of a parsed folder. */
function buildSchema(from: ProtoFolder, naming: Pick<Naming, 'extensionPrefix' | 'apiVersion'>): Schema {
  const built = buildMessages(from, naming.extensionPrefix);
  for (const message of built.values()) message.type.resource = buildResource(message, naming);
  const messages = new Map<string, MessageType>([...built].map(([name, { type }]) => [name, type]));
  const kinds = kindsByName(built.values());
  return {
    messages,
    groupVersions: buildGroupVersions(from.files, built.values()),
    message(name) {
      const found = messages.get(name);
      if (found === undefined) throw new Error(`proto/ has no message ${name}`);
      return found;
    },
    kind: (group, version, kind) => kinds.get(`${group}/${version}/${kind}`),
  };
}

/** Kinds by group, version and name: those published, and those that only webhooks and options use. */
function kindsByName(messages: Iterable<BuiltMessage>): Map<string, MessageType> {
  const kinds = new Map<string, MessageType>();
  for (const { type, file } of messages) {
    for (const { group, version, kind } of type.gvks) kinds.set(`${group}/${version}/${kind}`, type);
    if (type.typeMeta && type.gvks.length === 0)
      kinds.set(`${file.options.get('group')}/${file.options.get('version')}/${type.shortName}`, type);
  }
  return kinds;
}
