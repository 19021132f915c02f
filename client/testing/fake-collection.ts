import type { JsonValue } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Incoming } from '../http/answer.ts';
import type { Call } from '../http/transport.ts';
import { formatJson } from '../json.ts';
import type { ResourceType } from '../resource-type.ts';
import { at } from './fake-patches.ts';

/** One change of an object. */
export interface FakeChange {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ApiObject;
}

/** The objects of one type, and their history. */
export interface FakeCollection {
  readonly type: ResourceType;
  readonly group: string;
  readonly objects: Map<string, ApiObject>;
  readonly changes: FakeChange[];
  readonly watchers: Set<() => void>;
  /** Changes up to this version are forgotten. A watch from an earlier version is answered with 410. */
  compacted: number;
}

/** The options of a watch of a collection. */
export interface FakeWatch {
  readonly call: Call;
  readonly naming: Naming;
  readonly fits: (object: ApiObject) => boolean;
  /** The watch gets changes after this version. If it is undefined, the watch first gets every existing object. */
  readonly after: number | undefined;
  /** The version of the server. */
  readonly now: number;
}

/** The changes of a collection, until the caller stops reading. */
export function watchChanges(collection: FakeCollection, { call, naming, fits, after, now }: FakeWatch): Incoming {
  let cursor = after ?? now;
  const present = after === undefined ? [...collection.objects.values()].filter(fits) : [];
  const line = (type: string, object: unknown) => Buffer.from(`${formatJson({ type, object: object as JsonValue })}\n`);
  const { signal } = call;
  return {
    status: 200,
    headers: {},
    text: async () => '',
    async *pieces() {
      for (const object of present) yield line('ADDED', asAsked(object, call, naming));
      for (;;) {
        if (signal?.aborted) throw signal.reason;
        if (cursor < collection.compacted) {
          const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
          yield line('ERROR', status);
          return;
        }
        const next = collection.changes.find(({ version }) => version > cursor);
        if (next !== undefined) {
          cursor = next.version;
          if (fits(next.object)) yield line(next.type, asAsked(next.object, call, naming));
          continue;
        }
        await new Promise<void>((resolve) => {
          const wake = () => {
            collection.watchers.delete(wake);
            signal?.removeEventListener('abort', wake);
            resolve();
          };
          collection.watchers.add(wake);
          signal?.addEventListener('abort', wake, { once: true });
        });
      }
    },
  };
}

/**
 * An object in the form that a call accepts: the whole object, or only its metadata.
 *
 * @example asAsked(pod, { method: 'GET', path: '/api/v1/pods', headers: {} }, naming) // pod
 */
export function asAsked(object: ApiObject, call: Call, naming: Naming): ApiObject {
  if (!call.headers?.['accept']?.includes('as=PartialObjectMetadata')) return object;
  const apiVersion = naming.apiVersion('meta', 'v1');
  return { apiVersion, kind: 'PartialObjectMetadata', metadata: object.metadata };
}

/**
 * Supports selectors with equal signs, and the fields `metadata.name` and `metadata.namespace`. Other selectors select
 * nothing.
 */
export function selector(query: URLSearchParams): (object: ApiObject) => boolean {
  const terms = (name: string) => (query.get(name) ?? '').split(',').filter((term) => term !== '');
  const labels = terms('labelSelector').map((term) => term.split(/==?/));
  const fields = terms('fieldSelector').map((term) => term.split(/==?/));
  return (object) =>
    labels.every(([key, value]) => value !== undefined && object.metadata.labels?.[key!] === value) &&
    fields.every(([path, value]) => String(at(object, path!.split('.')) ?? '') === value);
}
