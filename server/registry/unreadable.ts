import { type Answer, object as objectAnswer } from '../api/answer.ts';
import { ObjectContent } from '../api/object-content.ts';
import { type Registry, subjectOf } from '../api/registry.ts';
import type { ServedResource, StoredResource } from '../api/served-resource.ts';
import { servedBody } from '../cache/stored-body.ts';
import { conflict, internalError, qualified, type StatusError } from '../errors/status-error.ts';
import { parseStored } from '../json/parse-stored.ts';
import { DecodeError } from '../schema/decode.ts';
import type { DeleteOptions } from './delete-options.ts';

/** A stored value that is no object of its resource, as when somebody wrote it past this system. */
export interface Unreadable {
  readonly revision: number;
  /** Why, as the end of a sentence about the value. */
  readonly problem: string;
}

/** What the store has under a key of the resource that cannot be read; undefined where it is absent, or an object. */
export async function unreadable(
  registry: Registry,
  stored: StoredResource,
  key: string,
): Promise<Unreadable | undefined> {
  const found = await registry.store.get(stored.keyPrefix + key);
  const problem = found && problemIn(stored, found.value);
  return problem === undefined ? undefined : { revision: found!.revision, problem };
}

function problemIn(stored: StoredResource, value: Buffer): string | undefined {
  try {
    const { apiVersion, body } = servedBody(value, 1);
    const object = parseStored(body);
    // what was stored under another version of the kind is brought into this one first
    if (apiVersion === stored.apiVersion) stored.model.decode(object, {});
    return undefined;
  } catch (error) {
    return error instanceof DecodeError ? error.detail : error instanceof Error ? error.message : String(error);
  }
}

/** The answer to who asks for such a value, or wants to change it: 500. */
export function unreadableValue(served: ServedResource, name: string, { problem }: Unreadable): StatusError {
  const what = `${qualified(subjectOf(served))} ${JSON.stringify(name)}`;
  return internalError(`the stored value of ${what} cannot be read, and a DELETE removes it: ${problem}`);
}

/**
 * Takes such a value out of the store. Nobody can be asked about it, as its object is not known: neither admission, nor
 * finalizers, nor what it has claimed. Throws 409 where a precondition names another object; undefined where the value
 * has changed meanwhile.
 */
export async function removeUnreadable(
  registry: Registry,
  served: ServedResource,
  key: string,
  { revision, problem }: Unreadable,
  { preconditions, dryRun }: Pick<DeleteOptions, 'preconditions' | 'dryRun'>,
): Promise<Answer | undefined> {
  const { group, resource } = subjectOf(served);
  const name = key.slice(key.indexOf('/') + 1);
  if (preconditions.uid !== undefined) {
    throw conflict(subjectOf(served), name, 'a precondition names a UID, and the stored value cannot be read');
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== String(revision)) {
    const asked = preconditions.resourceVersion;
    throw conflict(subjectOf(served), name, `a precondition names the ResourceVersion ${asked}, and it is ${revision}`);
  }
  if (!dryRun) {
    const gone = await registry.store.remove(served.stored!.keyPrefix + key, revision);
    if (gone.outcome === 'changed') return undefined;
    await registry.cache.waitFor(gone.revision, REMOVED_MS);
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
