import { groupOf, versionOf } from '../values/api-version.ts';
import type { ProtoFile, ProtoMessage } from './proto-data.ts';
import type { GroupVersionKind } from './types.ts';

/** The kinds of a message in published documents. None if its schema is not published. */
export function publishedKinds(file: ProtoFile, { name: kind, options }: ProtoMessage): GroupVersionKind[] {
  if (options?.['unpublished'] === true) return [];
  const core = { group: '', version: 'v1', kind };
  if (options?.['core_kind'] === true) return [core];
  if (options?.['kind_of_every_group'] === true) {
    const others = (file.options?.['api_version'] ?? []) as string[];
    return [core, ...others.map((text) => ({ group: groupOf(text), version: versionOf(text), kind }))];
  }
  return options?.['type_meta'] === true ? [ownKind(file, kind)] : [];
}

/**
 * The kinds by which a message is found. These are its published kinds, or its own kind if only webhooks and options
 * use it.
 */
export function allKinds(file: ProtoFile, message: ProtoMessage): GroupVersionKind[] {
  const published = publishedKinds(file, message);
  return published.length === 0 && message.options?.['type_meta'] === true ? [ownKind(file, message.name)] : published;
}

function ownKind({ options }: ProtoFile, kind: string): GroupVersionKind {
  return { group: (options?.['group'] ?? '') as string, version: (options?.['version'] ?? '') as string, kind };
}
