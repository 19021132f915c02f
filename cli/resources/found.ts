import type { Client } from '#client/client.ts';
import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { ApiError, isGone, isNotFound } from '#client/errors.ts';
import { pathSegment } from '#client/path-segment.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { inGroup } from '../connection/in-group.ts';
import type { Session } from '../connection/session.ts';
import { isNameless, type Selection, type Target } from './selection.ts';

/** Options of requests for objects. */
export interface Asking {
  /** The largest number of objects that an answer may contain. 0 means all. */
  readonly chunkSize?: number;
  /** A past resource version. The objects are requested as they were at that version. */
  readonly at?: string | undefined;
  /** The subresource to get in place of the object. */
  readonly subresource?: string | undefined;
}

/** An object on the server that the command line names. */
export interface Found {
  readonly type: DiscoveredType;
  readonly object: ApiObject;
  readonly target: Target;
}

/**
 * Yields the objects of a selection as they are on the server, one after the other. Long lists are requested in pages.
 * An object of a file without a name is yielded unchanged. Errors are passed to `onError`, and the next objects follow.
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

/** The group and version of a type in the form that objects contain. */
export function apiVersionIn({ group, version }: Pick<DiscoveredType, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** A server's error about an object that does not exist. */
export function notThere({ type, name = '' }: Target): ApiError {
  const message = `${inGroup(type.plural, type.group)} ${JSON.stringify(name)} not found`;
  return new ApiError(404, { kind: 'Status', code: 404, reason: 'NotFound', message });
}

/**
 * Throws the error again. If the namespace of a missing object does not exist either, throws the error about the
 * namespace.
 */
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

/** The error about a list. If the server does not understand the selectors, the text contains them. */
function explainList(error: ApiError, type: DiscoveredType, { labelSelector, fieldSelector }: Selection): ApiError {
  if (error.reason !== 'BadRequest' || isGone(error)) return error;
  const what = `${type.group}/${type.version}, Resource=${type.plural}`;
  const message = `Unable to find ${JSON.stringify(what)} that match label selector ${JSON.stringify(labelSelector)}, field selector ${JSON.stringify(fieldSelector)}: ${error.status.message ?? ''}`;
  return new ApiError(error.code, { ...error.status, message });
}
