import { conflict } from '#base/errors/status-error.ts';
import type { Release } from '#base/release/release.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { resourceVersion } from '../api/parse-query.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { Item } from '../cache/item.ts';
import { subjectOf } from '../resources/registry.ts';
import { versionRequired } from './validate.ts';

/**
 * The version that a merge into the live object must compare; 0 for none. It is the merged object's version, unless the
 * live object already had it.
 *
 * @throws StatusError: 400 for a malformed version, and 422 if the kind requires one and the patch removed it
 */
export function precondition(
  served: ServedResource,
  name: string,
  merged: string | undefined,
  live: ApiObject,
  release: Release,
): number {
  const text = merged ?? '';
  if (text === live.metadata.resourceVersion) return 0;
  const version = resourceVersion(text) ?? 0;
  if (version === 0 && !served.type.unconditionalUpdate) throw versionRequired(served, name, release);
  return version;
}

/**
 * Checks that an object has the uid that a write requires; '' for none. An absent object has no uid.
 *
 * @throws StatusError (409)
 */
export function requireUid(served: ServedResource, name: string, asked: string, current: Item | undefined): void {
  if (asked === '') return; // To know the uid, the server must read an object that it has not read yet.
  const found = current?.uid ?? '';
  if (asked !== found) throw conflict(subjectOf(served), name, uidMismatch(asked, found));
}

/**
 * Checks that an object still has the version on which a write is based; 0 for any.
 *
 * @throws StatusError (409)
 */
export function requireVersion(served: ServedResource, name: string, version: number, current: Item): void {
  if (version !== 0 && version !== current.revision) throw conflict(subjectOf(served), name, MODIFIED);
}

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** The message about a uid that differs from that of the object. */
export function uidMismatch(asked: string, found: string): string {
  return `Precondition failed: UID in precondition: ${asked}, UID in object meta: ${found}`;
}
