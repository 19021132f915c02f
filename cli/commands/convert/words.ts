import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { groupOf } from '#schema/values/api-version.ts';

/**
 * The naming to which the group of a version belongs. Undefined means that all profiles have the same name for the
 * group.
 */
export function wordsOfVersion(apiVersion: string): Naming | undefined {
  const group = groupOf(apiVersion);
  const speaking = namingProfiles.map(createNaming).filter((naming) => naming.shortGroup(group) !== undefined);
  return speaking.length === 1 ? speaking[0] : undefined;
}

/**
 * The naming profile in which an object is written. The group, or the keys of annotations and labels, identify the
 * profile.
 */
export function wordsOf({ apiVersion = '', metadata }: ApiObject): Naming | undefined {
  const keys = Object.keys({ ...metadata.annotations, ...metadata.labels });
  const domains = keys.flatMap((key) => (key.includes('/') ? [key.slice(0, key.indexOf('/'))] : []));
  const within = ({ domains: own }: Naming) =>
    domains.some((domain) => own.some((one) => domain === one || domain.endsWith(`.${one}`)));
  return wordsOfVersion(apiVersion) ?? namingProfiles.map(createNaming).find(within);
}
