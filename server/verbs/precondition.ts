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
 * @throws 400 for a malformed version, and 422 if the kind requires one and the patch removed it
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
 * Checks that an object has the uid that a write insists on, '' for none; an absent one has no uid.
 *
 * @throws 409
 */
export function requireUid(served: ServedResource, name: string, asked: string, current: Item | undefined): void {
  if (asked === '') return; // to know the uid, an object that was not looked at yet has to be read
  const found = current?.uid ?? '';
  if (asked !== found) throw conflict(subjectOf(served), name, uidMismatch(asked, found));
}

/**
 * Checks that an object still is what a write is based on, 0 for anything.
 *
 * @throws 409
 */
export function requireVersion(served: ServedResource, name: string, version: number, current: Item): void {
  if (version !== 0 && version !== current.revision) throw conflict(subjectOf(served), name, MODIFIED);
}

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** The message of a uid that is not the object's. */
export function uidMismatch(asked: string, found: string): string {
  return `Precondition failed: UID in precondition: ${asked}, UID in object meta: ${found}`;
}
