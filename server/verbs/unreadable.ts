import { conflict, internalError, qualified, type StatusError, serviceUnavailable } from '#base/errors/status-error.ts';
import { parseStored } from '#base/json/parse-stored.ts';
import { isSealed, NOT_CONFIGURED, whyNotOpened } from '#program/encryption/sealed-value.ts';
import { DecodeError } from '#schema/objects/decode.ts';
import type { Stored } from '#storage/object-store.ts';
import { type Answer, object as objectAnswer } from '../api/answer.ts';
import { ObjectContent } from '../api/object-content.ts';
import type { StoredResource, StoredServedResource } from '../api/served-resource.ts';
import { servedBody } from '../cache/stored-body.ts';
import { type Registry, subjectOf } from '../resources/registry.ts';
import type { DeleteOptions } from './delete-options.ts';

/** A stored value that is not an object of its resource, for example because another program wrote it. */
export interface Unreadable {
  readonly revision: number;
  /** The reason, as the end of a sentence about the value. */
  readonly problem: string;
  /**
   * Whether it is encrypted and could not be decrypted. Then an object exists, but only the key can make it readable.
   */
  readonly sealed: boolean;
}

/** The malformed value under a key of the resource; undefined if the key is absent or has an object. */
export async function unreadable(
  registry: Registry,
  stored: StoredResource,
  key: string,
): Promise<Unreadable | undefined> {
  const found = await registry.store.get(stored.keyPrefix + key);
  if (found === undefined) return undefined;
  if (isSealed(found.value)) return sealedAway(found);
  const problem = problemIn(stored, found.value);
  return problem === undefined ? undefined : { revision: found.revision, problem, sealed: false };
}

/** The description of a stored value that could not be decrypted. */
export function sealedAway({ value, revision, problem }: Stored): Unreadable {
  return { revision, problem: problem ?? whyNotOpened(value, NOT_CONFIGURED), sealed: true };
}

/**
 * @throws StatusError if values of a scope still cannot be decrypted. The cache is then incomplete, and a client that
 * follows the objects would believe that the missing ones are deleted.
 */
export async function requireOpened(registry: Registry, served: StoredServedResource, scope: string): Promise<void> {
  const stored = served.stored;
  if (stored.cache.sealedIn(scope).length === 0) return;
  await registry.cache.retrySealed();
  const [sealed] = stored.cache.sealedIn(scope);
  if (sealed === undefined) return;
  const found = await unreadable(registry, stored, sealed.key);
  if (found?.sealed === true) throw unreadableValue(served, nameIn(sealed.key), found);
  throw serviceUnavailable('values that could not be opened are being read again');
}

function nameIn(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}

function problemIn(stored: StoredResource, value: Buffer): string | undefined {
  try {
    const { apiVersion, body } = servedBody(value, 1);
    const object = parseStored(body);
    // A value that is stored in another version of the kind is converted first.
    if (apiVersion === stored.apiVersion) stored.model.decode(object, {});
    return undefined;
  } catch (error) {
    return error instanceof DecodeError ? error.detail : error instanceof Error ? error.message : String(error);
  }
}

/** The answer to requests that read or change such a value. It is a 500. */
export function unreadableValue(
  served: StoredServedResource,
  name: string,
  { problem, sealed }: Unreadable,
): StatusError {
  const what = `${qualified(subjectOf(served))} ${JSON.stringify(name)}`;
  if (sealed) return internalError(`the stored value of ${what} cannot be opened: ${problem}`);
  return internalError(`the stored value of ${what} cannot be read, and a DELETE removes it: ${problem}`);
}

/**
 * Removes such a value from the store. Admission, finalizers and claims do not matter, because its object is unknown. A
 * value that could not be decrypted stays, because its object is valid and the key may come back. Undefined if the
 * value has changed in the meantime.
 *
 * @throws StatusError: 500 for a value that could not be decrypted, and 409 if a precondition names another object
 */
export async function removeUnreadable(
  registry: Registry,
  served: StoredServedResource,
  key: string,
  found: Unreadable,
  { preconditions, dryRun }: Pick<DeleteOptions, 'preconditions' | 'dryRun'>,
): Promise<Answer | undefined> {
  const { revision, problem } = found;
  const { group, resource } = subjectOf(served);
  const name = nameIn(key);
  if (found.sealed) throw unreadableValue(served, name, found);
  if (preconditions.uid !== undefined) {
    throw conflict(subjectOf(served), name, 'a precondition names a UID, and the stored value cannot be read');
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== String(revision)) {
    const asked = preconditions.resourceVersion;
    throw conflict(subjectOf(served), name, `a precondition names the ResourceVersion ${asked}, and it is ${revision}`);
  }
  if (!dryRun) {
    const gone = await registry.store.remove(served.stored.keyPrefix + key, revision);
    if (gone.outcome === 'changed') return undefined;
    await registry.cache.homeOfKey(served.stored.keyPrefix + key).waitFor(gone.revision, REMOVED_MS);
  }
  const status = {
    metadata: {},
    status: 'Success',
    message: `the stored value could not be read, and is removed: ${problem}`,
    details: { name, ...(group === '' ? {} : { group }), kind: resource },
  };
  return objectAnswer(ObjectContent.ofObject('Status', 'v1', registry.schema.message('meta.v1.Status'), status));
}

/** How long the answer waits until this replica has seen the removal, in milliseconds. */
const REMOVED_MS = 200;
