import type { Naming } from '#base/naming/naming.ts';
import { declaredMessages, MessageBuilder } from './build-messages.ts';
import { buildGroupVersions, buildResource } from './build-resources.ts';
import { allKinds } from './kind-names.ts';
import type { ProtoFile } from './proto-data.ts';
import type { GroupVersionType, MessageType, Schema } from './types.ts';

/**
 * The descriptors of what files of `proto/` declare. Each is made when it is first wanted; `messages` and
 * `groupVersions` want all of them.
 * @throws ProtoError, also later, when a file is wrong
 */
export function buildSchema(
  files: readonly ProtoFile[],
  naming: Pick<Naming, 'extensionPrefix' | 'apiVersion'>,
): Schema {
  const declared = declaredMessages(files);
  const builder = new MessageBuilder(declared, naming.extensionPrefix, (message) => {
    message.type.resource = buildResource(message, naming);
  });
  const message = (name: string): MessageType => {
    const found = builder.message(name);
    if (found === undefined) throw new Error(`proto/ has no message ${name}`);
    return found;
  };
  let kinds: ReadonlyMap<string, string> | undefined;
  let messages: ReadonlyMap<string, MessageType> | undefined;
  let groupVersions: readonly GroupVersionType[] | undefined;
  return {
    message,
    get messages() {
      return (messages ??= new Map([...declared.keys()].map((name) => [name, message(name)])));
    },
    get groupVersions() {
      return (groupVersions ??= buildGroupVersions(files, this.messages.values()));
    },
    kind(group, version, kind) {
      kinds ??= messagesByKind(files);
      const name = kinds.get(`${group}/${version}/${kind}`);
      return name === undefined ? undefined : message(name);
    },
  };
}

/** Full names of messages by group, version and kind. */
function messagesByKind(files: readonly ProtoFile[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const file of files)
    for (const message of file.messages)
      for (const { group, version, kind } of allKinds(file, message))
        names.set(`${group}/${version}/${kind}`, `${file.package}.${message.name}`);
  return names;
}
