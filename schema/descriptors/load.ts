import { createNaming } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import { defaultRelease, type Release } from '#base/release/release.ts';
import { buildSchema } from './build-schema.ts';
import { protoText } from './generated/proto-text.ts';
import type { ProtoFile } from './proto-data.ts';
import type { MessageType, Schema } from './types.ts';

const loaded = new Map<string, Schema>();

/**
 * The schema of `proto/` for a release, as `npm run generate` wrote it. It is read once for each process, naming
 * profile and release. Each descriptor is made at its first use. The profile decides the names of schema extensions in
 * JSON and the texts of deprecation warnings.
 *
 * @param release `every` for the fields of all releases, because stored objects may be of several releases
 */
export function loadSchema(
  naming: Pick<Naming, 'profile' | 'extensionPrefix' | 'apiVersion'> = createNaming('orch'),
  release: Release | 'every' = defaultRelease,
): Schema {
  const of = release === 'every' ? undefined : release;
  const key = `${naming.profile} ${of?.name}`;
  let schema = loaded.get(key);
  if (schema === undefined) {
    schema = buildSchema(JSON.parse(protoText) as ProtoFile[], naming, of);
    loaded.set(key, schema);
  }
  return schema;
}

/**
 * A message that is the same in every naming profile and release. It is taken from any schema that was already read.
 */
export function sharedMessage(name: string): MessageType {
  const [schema = loadSchema()] = loaded.values();
  return schema.message(name);
}
