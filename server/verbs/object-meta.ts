import { randomUUID } from 'node:crypto';
import { badRequest } from '#base/errors/status-error.ts';
import { randomSuffix, SUFFIX_LENGTH } from '#base/text/random-suffix.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { formatTime } from '#schema/values/time.ts';
import type { ServedResource } from '../api/served-resource.ts';

const MAX_GENERATED = 63;

/** A name from its prefix. The prefix is cut so that the name with five random characters has at most 63. */
function generateName(prefix: string): string {
  return prefix.slice(0, MAX_GENERATED - SUFFIX_LENGTH) + randomSuffix();
}

/** The time in the form of objects: UTC in seconds. */
export function timestamp(milliseconds = Date.now()): string {
  return formatTime(milliseconds);
}

/**
 * Sets the object's namespace to that of the path.
 *
 * @throws StatusError (400) if it has another one
 */
export function matchNamespace(served: ServedResource, object: ApiObject, namespace: string): void {
  const { metadata } = object;
  if (!served.type.namespaced) {
    delete metadata.namespace;
    return;
  }
  if ((metadata.namespace ?? '') === '') metadata.namespace = namespace;
  else if (metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/**
 * Removes the fields that no client may set. So no manager owns them either. A PUT that creates an object may have
 * them.
 */
export function wipeSystemFields({ metadata }: ApiObject): void {
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Sets the fields of a new object that only the server sets. */
export function initMetadata(served: ServedResource, object: ApiObject, now: string): void {
  const { metadata } = object;
  if ((metadata.name ?? '') === '' && (metadata.generateName ?? '') !== '') {
    metadata.name = generateName(metadata.generateName!);
  }
  metadata.uid = randomUUID();
  metadata.creationTimestamp = now;
  delete metadata.selfLink;
  delete metadata.resourceVersion;
  if (served.type.generation === 'mount-settings') delete metadata.generation;
  else if (served.type.generation !== 'none') metadata.generation = 1;
}

/** Copies the fields that no update changes. */
export function keepMetadata(object: ApiObject, old: ApiObject): void {
  const { metadata } = object;
  const before = old.metadata;
  if ((metadata.uid ?? '') === '' && before.uid !== undefined) metadata.uid = before.uid;
  metadata.creationTimestamp = before.creationTimestamp ?? null;
  delete metadata.selfLink;
  metadata.resourceVersion = before.resourceVersion!;
  if ((before.deletionTimestamp ?? null) !== null) {
    metadata.deletionTimestamp = before.deletionTimestamp!;
    if (before.deletionGracePeriodSeconds !== undefined) {
      metadata.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
    }
  }
}
