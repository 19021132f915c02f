import type { Client } from '#client/client.ts';
import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { ApiError, isGone, isNotFound } from '#client/errors.ts';
import { pathSegment } from '#client/path-segment.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { inGroup } from '../connection/in-group.ts';
import type { Session } from '../connection/session.ts';
import { isNameless, type Selection, type Target } from './selection.ts';

/** How objects are asked for. */
export interface Asking {
  /** How many at once; 0 for all. */
  readonly chunkSize?: number;
  /** A version of the past, to have them as they were. */
  readonly at?: string | undefined;
  /** A part of them. */
  readonly subresource?: string | undefined;
}

/** An object on the server that a command line names. */
export interface Found {
  readonly type: DiscoveredType;
  readonly object: ApiObject;
  readonly target: Target;
}

/**
 * The objects of a selection as they are on the server, one after the other; long lists are asked for in parts. One of
 * a file that has no name is as the file has it. What cannot be read is passed to `onError`, and the other objects
 * follow.
 */
export async function* found(
  session: Session,
  selection: Selection,
  onError: (error: unknown) => void,
  { chunkSize = 500, at, subresource }: Asking = {},
): AsyncGenerator<Found, void, void> {
  const client = await session.client();
  const { labelSelector, fieldSelector } = selection;
  for (const target of selection.targets) {
    const { type, namespace, name } = target;
    if (isNameless(target)) {
      yield { type, target, object: target.object! };
      continue;
    }
    const resource = client.resource(type).in(namespace);
    const timeoutMs = session.settings.requestTimeoutMs;
    try {
      const past = at === undefined ? {} : ({ resourceVersion: at, resourceVersionMatch: 'Exact' } as const);
      if (name !== undefined && at !== undefined) {
        const { items } = await resource.list({ ...past, fieldSelector: `metadata.name=${name}`, timeoutMs });
        if (items[0] === undefined) throw notThere(target);
        yield { type, target, object: { apiVersion: apiVersionIn(type), kind: type.kind, ...items[0] } };
        continue;
      }
      if (name !== undefined) {
        const object = await resource
          .get(name, { timeoutMs, subresource })
          .catch((error) => explainMissing(client, target, error));
        yield { type, target, object };
        continue;
      }
      const limit = chunkSize === 0 ? Number.MAX_SAFE_INTEGER : chunkSize;
      for await (const page of resource.pages({ labelSelector, fieldSelector, limit, timeoutMs, ...past }))
        for (const item of page.items)
          yield { type, target, object: { apiVersion: apiVersionIn(type), kind: type.kind, ...item } };
    } catch (error) {
      session.io.signal.throwIfAborted();
      onError(error instanceof ApiError && name === undefined ? explainList(error, type, selection) : error);
    }
  }
}

/** Group and version of a type as objects carry them. */
export function apiVersionIn({ group, version }: Pick<DiscoveredType, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** What a server says about an object that is not there. */
export function notThere({ type, name = '' }: Target): ApiError {
  const message = `${inGroup(type.plural, type.group)} ${JSON.stringify(name)} not found`;
  return new ApiError(404, { kind: 'Status', code: 404, reason: 'NotFound', message });
}

/** Throws the error on, or where the namespace of what was not found is not there either, that one's. */
export async function explainMissing(client: Client, { namespace }: Target, error: unknown): Promise<never> {
  if (isNotFound(error) && namespace !== undefined && namespace !== 'default') {
    const path = `/api/v1/namespaces/${pathSegment(namespace, 'namespace')}`;
    const missing = await client.call({ method: 'GET', path }).then(
      () => undefined,
      (other: unknown) => (isNotFound(other) ? other : undefined),
    );
    if (missing !== undefined) throw missing;
  }
  throw error;
}

/** What was looked for, where the server cannot make sense of it. */
function explainList(error: ApiError, type: DiscoveredType, { labelSelector, fieldSelector }: Selection): ApiError {
  if (error.reason !== 'BadRequest' || isGone(error)) return error;
  const what = `${type.group}/${type.version}, Resource=${type.plural}`;
  const message = `Unable to find ${JSON.stringify(what)} that match label selector ${JSON.stringify(labelSelector)}, field selector ${JSON.stringify(fieldSelector)}: ${error.status.message ?? ''}`;
  return new ApiError(error.code, { ...error.status, message });
}
