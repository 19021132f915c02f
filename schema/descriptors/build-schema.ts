import type { Naming } from '#base/naming/naming.ts';
import { latestRelease, type Release } from '#base/release/release.ts';
import { type DeclaredMessage, declaredMessages, MessageBuilder } from './build-messages.ts';
import { buildGroupVersions, buildResource } from './build-resources.ts';
import { allKinds } from './kind-names.ts';
import { everRegistered, filesOfRelease } from './of-release.ts';
import type { ProtoFile } from './proto-data.ts';
import type { GroupVersionType, MessageType, Schema } from './types.ts';

/**
 * The descriptors of the files of `proto/`, for one release or for all. Each descriptor is made at its first use.
 * `messages` makes all of them, and `groupVersions` makes those of resources.
 * @throws ProtoError if a file is wrong; also later, at the first use of a descriptor
 * @example buildSchema(files, naming, releaseOf('1.29')).message('core.v1.Pod') // without fields of later releases
 */
export function buildSchema(
  all: readonly ProtoFile[],
  naming: Pick<Naming, 'extensionPrefix' | 'apiVersion'>,
  release?: Release,
): Schema {
  const files = filesOfRelease(all, release);
  const declared = declaredMessages(files);
  const builder = new MessageBuilder(declared, naming.extensionPrefix, (message) => {
    message.type.resource = buildResource(message, naming, release ?? latestRelease);
  });
  const message = (name: string): MessageType => {
    const found = builder.message(name);
    if (found === undefined) throw new Error(`proto/ has no message ${name}`);
    return found;
  };
  let kinds: ReadonlyMap<string, string> | undefined;
  let messages: ReadonlyMap<string, MessageType> | undefined;
  let groupVersions: readonly GroupVersionType[] | undefined;
  const registered = everRegistered(all);
  return {
    release: release ?? latestRelease,
    everRegistered: registered,
    message,
    get messages() {
      return (messages ??= new Map([...declared.keys()].map((name) => [name, message(name)])));
    },
    get groupVersions() {
      return (groupVersions ??= buildGroupVersions(files, resourceMessages(declared).map(message)));
    },
    kind(group, version, kind) {
      kinds ??= messagesByKind(files);
      const name = kinds.get(`${group}/${version}/${kind}`);
      return name === undefined ? undefined : message(name);
    },
  };
}

/** Full names of messages with a resource. */
function resourceMessages(declared: ReadonlyMap<string, DeclaredMessage>): string[] {
  return [...declared].flatMap(([name, { options }]) => (options['resource'] === undefined ? [] : [name]));
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
