import { cloneJson } from '#base/json/clone-json.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { Caller } from '../caller.ts';
import { Client } from '../client.ts';
import { ApiError } from '../errors.ts';
import type { Incoming } from '../http/answer.ts';
import type { Upgraded } from '../http/exchange.ts';
import type { Answer, Call, UpgradeCall } from '../http/transport.ts';
import { formatJson, parseJson } from '../json.ts';
import { groupOf, type ResourceType } from '../resource-type.ts';
import { asAsked, type FakeChange, type FakeCollection, selector, watchChanges } from './fake-collection.ts';
import { discovery } from './fake-discovery.ts';
import { type JsonPatchStep, jsonPatch, mergePatch } from './fake-patches.ts';
import { hasFinalizers, withSubresource } from './fake-writes.ts';

/** A write that the fake server received, in the form that tests compare: `DELETE pods/default/a`, and its body. */
export interface RecordedWrite {
  readonly what: string;
  readonly body: unknown;
}

/** Answers a call instead of the fake server. If it returns undefined, the fake server answers. */
export type FakeHandler = (call: Call, path: string, query: URLSearchParams) => unknown;

interface Path {
  readonly collection: FakeCollection;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/**
 * An in-memory server with the same methods as a real one, for tests of code that uses the client library. It keeps
 * objects with uids and versions. It supports two-phase deletion with finalizers, preconditions, pages, watches,
 * metadata-only answers and discovery. It does not validate, default or authorize. It records every write.
 *
 * @example
 * const server = new FakeServer([coreV1.configmaps]);
 * server.put(coreV1.configmaps, { metadata: { name: 'a', namespace: 'default' } });
 * await act(server.client);
 * assert.deepEqual(server.writes, [{ what: 'DELETE configmaps/default/a', body: undefined }]);
 */
export class FakeServer implements Caller {
  readonly naming: Naming;
  readonly client: Client;
  /** The writes in the order in which they arrived, including refused ones. */
  readonly writes: RecordedWrite[] = [];
  /** All calls, such as `GET /api/v1/pods`. */
  readonly calls: string[] = [];
  /** Whether to refuse updates, patches and deletions without preconditions. */
  readonly strict: boolean;
  readonly #collections = new Map<string, FakeCollection>();
  readonly #handlers: FakeHandler[] = [];
  #version = 100;
  #uid = 0;

  constructor(types: readonly ResourceType[], options: { naming?: Naming; strict?: boolean } = {}) {
    this.naming = options.naming ?? createNaming('orch');
    this.strict = options.strict ?? false;
    this.client = new Client(this, this.naming);
    for (const type of types) this.serve(type);
  }

  /** Serves one more type. */
  serve(type: ResourceType): void {
    const group = groupOf(type, this.naming);
    const id = `${group}/${type.version}/${type.plural}`;
    const nothing = { objects: new Map(), changes: [], watchers: new Set<() => void>(), compacted: 0 };
    this.#collections.set(id, { type, group, ...nothing });
  }

  /** Removes a type: its objects are deleted, and its watches end. */
  serveNoMore(type: ResourceType): void {
    const collection = this.#collection(type);
    for (const object of [...collection.objects.values()]) this.#drop(collection, object);
    this.#collections.delete(`${collection.group}/${type.version}/${type.plural}`);
  }

  /**
   * Lets the test answer calls: with an object, with a thrown ApiError, or with undefined, and then the fake server
   * answers.
   */
  handle(handler: FakeHandler): void {
    this.#handlers.push(handler);
  }

  /** Stores an object as if another client had created or changed it; returns it as stored. */
  put<T extends ApiObject>(type: ResourceType<T>, object: Omit<T, 'metadata'> & { metadata: object }): T {
    const collection = this.#collection(type as ResourceType);
    const whole = asObject(cloneJson(object));
    const key = keyIn(whole.metadata.namespace, whole.metadata.name ?? '');
    const before = collection.objects.get(key);
    return this.#store(collection, whole, before) as T;
  }

  get<T extends ApiObject>(type: ResourceType<T>, name: string, namespace?: string): T | undefined {
    return this.#collection(type as ResourceType).objects.get(keyIn(namespace, name)) as T | undefined;
  }

  all<T extends ApiObject>(type: ResourceType<T>): T[] {
    return [...this.#collection(type as ResourceType).objects.values()] as T[];
  }

  /** Removes an object, even if it has finalizers. */
  remove(type: ResourceType, name: string, namespace?: string): void {
    const collection = this.#collection(type);
    const object = collection.objects.get(keyIn(namespace, name));
    if (object !== undefined) this.#drop(collection, object);
  }

  /** Forgets the changes of a type, as compaction does, and ends its watches. */
  compact(type: ResourceType): void {
    const collection = this.#collection(type);
    collection.compacted = ++this.#version;
    collection.changes.length = 0;
    for (const wake of collection.watchers) wake();
  }

  async call(call: Call): Promise<Answer> {
    call.signal?.throwIfAborted();
    await undefined;
    call.guard?.();
    const body = this.#answer(call);
    return { status: 200, headers: {}, text: formatJson(body as JsonValue) };
  }

  /** This server does not run the pods. */
  async upgrade({ path }: UpgradeCall): Promise<Upgraded> {
    throw new ApiError(400, { kind: 'Status', code: 400, reason: 'BadRequest', message: `${path} has no streams` });
  }

  async open(call: Call): Promise<Incoming> {
    call.guard?.();
    const { path, query } = parse(call);
    this.calls.push(`WATCH ${path}`);
    const handled = this.#handled(call, path, query);
    if (handled !== undefined) throw new Error('a watch cannot be handled');
    const found = this.#find(path);
    if (found === undefined) throw notFound(path);
    const asked = query.get('resourceVersion') ?? '';
    const { collection, namespace } = found;
    const matches = selector(query);
    return watchChanges(collection, {
      call,
      naming: this.naming,
      fits: (object) => (namespace === undefined || object.metadata.namespace === namespace) && matches(object),
      after: asked === '' || asked === '0' ? undefined : Number(asked),
      now: this.#version,
    });
  }

  #answer(call: Call): unknown {
    const { path, query } = parse(call);
    this.calls.push(`${call.method} ${path}`);
    if (call.method !== 'GET') this.#record(call, path);
    const handled = this.#handled(call, path, query);
    if (handled !== undefined) return handled;
    const documents = call.method === 'GET' ? discovery([...this.#collections.values()], path) : undefined;
    if (documents !== undefined) return documents;
    const found = this.#find(path);
    if (found === undefined) throw notFound(path);
    const { collection, namespace, name } = found;
    switch (call.method) {
      case 'GET':
        if (name === undefined) return this.#list(found, query, call);
        return asAsked(this.#existing(collection, namespace, name), call, this.naming);
      case 'POST':
        return this.#create(found, bodyOf(call), query);
      case 'PUT':
        return this.#update(found, bodyOf(call), query);
      case 'PATCH':
        return this.#patch(found, call, query);
      case 'DELETE':
        return this.#delete(found, bodyOf(call), query);
      default:
        throw new ApiError(405, { code: 405, reason: 'MethodNotAllowed', message: call.method });
    }
  }

  #handled(call: Call, path: string, query: URLSearchParams): unknown {
    for (const handler of this.#handlers) {
      const answer = handler(call, path, query);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  #record(call: Call, path: string): void {
    const found = this.#find(path);
    const { collection, namespace, name, subresource } = found ?? {};
    const parts = [collection?.type.plural ?? path, namespace, name, subresource].filter((part) => part !== undefined);
    this.writes.push({ what: `${call.method} ${parts.join('/')}`, body: bodyOf(call) });
  }

  #list({ collection, namespace }: Path, query: URLSearchParams, call: Call): unknown {
    const limit = Number(query.get('limit') ?? 0);
    const from = query.get('continue') ?? '';
    const matches = selector(query);
    const all = [...collection.objects.entries()]
      .filter(([, { metadata }]) => namespace === undefined || metadata.namespace === namespace)
      .filter(([key, object]) => key > from && matches(object))
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const page = limit > 0 ? all.slice(0, limit) : all;
    const more = page.length < all.length;
    return {
      kind: `${collection.type.kind}List`,
      metadata: { resourceVersion: String(this.#version), ...(more ? { continue: page.at(-1)![0] } : {}) },
      items: page.map(([, object]) => asAsked(object, call, this.naming)),
    };
  }

  #create({ collection, namespace, name, subresource }: Path, body: ApiObject, query: URLSearchParams): unknown {
    if (subresource !== undefined || name !== undefined) throw notFound(`${name}/${subresource}`);
    const metadata = { ...body.metadata, ...(namespace === undefined ? {} : { namespace }) };
    if (!metadata.name && metadata.generateName) metadata.name = `${metadata.generateName}${++this.#uid}`;
    const key = keyIn(metadata.namespace, metadata.name ?? '');
    if (collection.objects.has(key)) throw conflictOf('AlreadyExists', `${key} already exists`);
    if (query.get('dryRun') === 'All') return { ...body, metadata };
    const { uid: _, resourceVersion: _rv, ...rest } = metadata;
    return this.#store(collection, { ...body, metadata: rest }, undefined);
  }

  #update(found: Path, body: ApiObject, query: URLSearchParams): unknown {
    const { collection, namespace, name = '' } = found;
    const before = this.#existing(collection, namespace, name);
    this.#check(before, body.metadata, name);
    if (query.get('dryRun') === 'All') return body;
    return this.#store(collection, withSubresource(before, body, found.subresource), before);
  }

  #patch(found: Path, call: Call, query: URLSearchParams): unknown {
    const { collection, namespace, name = '', subresource } = found;
    const kind = call.headers?.['content-type'] ?? '';
    const patch = bodyOf(call);
    const before = collection.objects.get(keyIn(namespace, name));
    if (kind.includes('apply')) {
      if (before === undefined) return this.#store(collection, patch, undefined);
      const merged = mergePatch(before, patch) as ApiObject;
      return this.#store(collection, withSubresource(before, merged, subresource), before);
    }
    if (before === undefined) throw notFound(name, { name });
    const isList = kind.includes('json-patch');
    if (!isList) this.#check(before, patch.metadata ?? {}, name);
    const after = (
      isList ? jsonPatch(before, patch as unknown as JsonPatchStep[]) : mergePatch(before, patch)
    ) as ApiObject;
    if (query.get('dryRun') === 'All') return after;
    return this.#store(collection, withSubresource(before, after, subresource), before);
  }

  #delete({ collection, namespace, name }: Path, options: ApiObject, query: URLSearchParams): unknown {
    if (name === undefined) {
      const matches = selector(query);
      for (const object of [...collection.objects.values()])
        if ((namespace === undefined || object.metadata.namespace === namespace) && matches(object))
          this.#deleteOne(collection, object, undefined);
      return { kind: 'Status', status: 'Success' };
    }
    const object = this.#existing(collection, namespace, name);
    const wanted = (options['preconditions'] ?? {}) as { uid?: string; resourceVersion?: string };
    this.#check(object, wanted, name);
    return this.#deleteOne(collection, object, options['propagationPolicy'] as string | undefined);
  }

  #deleteOne(collection: FakeCollection, object: ApiObject, policy: string | undefined): unknown {
    const holding = { Orphan: 'orphan', Foreground: 'foregroundDeletion' }[policy ?? ''];
    const held = object.metadata.finalizers ?? [];
    const finalizers = holding === undefined || held.includes(holding) ? held : [...held, holding];
    if (finalizers.length === 0 && !hasFinalizers(object)) return this.#drop(collection, object);
    const deletionTimestamp = object.metadata.deletionTimestamp ?? now();
    return this.#store(
      collection,
      { ...object, metadata: { ...object.metadata, finalizers, deletionTimestamp } },
      object,
    );
  }

  #check(object: ApiObject, wanted: { uid?: string; resourceVersion?: string }, name: string): void {
    const { uid, resourceVersion } = object.metadata;
    if (this.strict && !wanted.uid && !wanted.resourceVersion)
      throw new ApiError(400, { code: 400, reason: 'BadRequest', message: `${name}: the write has no precondition` });
    if ((wanted.uid && wanted.uid !== uid) || (wanted.resourceVersion && wanted.resourceVersion !== resourceVersion))
      throw conflictOf('Conflict', `${name} is not what it was`);
  }

  #store(collection: FakeCollection, object: ApiObject, before: ApiObject | undefined): ApiObject {
    const { metadata: given, apiVersion: _apiVersion, kind: _kind, ...content } = cloneJson(object);
    const { type, group } = collection;
    const apiVersion = group === '' ? type.version : `${group}/${type.version}`;
    const uid = before?.metadata.uid ?? given.uid ?? `uid-${++this.#uid}`;
    const times = {
      creationTimestamp: before?.metadata.creationTimestamp ?? given.creationTimestamp ?? now(),
      ...(before?.metadata.deletionTimestamp ? { deletionTimestamp: before.metadata.deletionTimestamp } : {}),
    };
    const same = { ...given, uid, ...times };
    const unchanged =
      before !== undefined &&
      jsonEqual(
        { ...content, metadata: { ...same, resourceVersion: '' } },
        {
          ...withoutType(before),
          metadata: { ...before.metadata, resourceVersion: '' },
        },
      );
    if (unchanged) return before;
    const version = ++this.#version;
    const stored = { apiVersion, kind: type.kind, metadata: { ...same, resourceVersion: String(version) }, ...content };
    if (stored.metadata.deletionTimestamp && !hasFinalizers(stored)) return this.#drop(collection, stored);
    collection.objects.set(keyIn(stored.metadata.namespace, stored.metadata.name ?? ''), stored);
    this.#tell(collection, { version, type: before === undefined ? 'ADDED' : 'MODIFIED', object: stored });
    return stored;
  }

  #drop(collection: FakeCollection, object: ApiObject): ApiObject {
    const version = ++this.#version;
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    collection.objects.delete(keyIn(object.metadata.namespace, object.metadata.name ?? ''));
    this.#tell(collection, { version, type: 'DELETED', object: last });
    return last;
  }

  #tell(collection: FakeCollection, change: FakeChange): void {
    collection.changes.push(change);
    for (const wake of collection.watchers) wake();
  }

  #existing(collection: FakeCollection, namespace: string | undefined, name: string): ApiObject {
    const object = collection.objects.get(keyIn(namespace, name));
    if (object === undefined) throw notFound(`${collection.type.plural} "${name}"`, { name });
    return object;
  }

  #collection(type: ResourceType): FakeCollection {
    const found = this.#collections.get(`${groupOf(type, this.naming)}/${type.version}/${type.plural}`);
    if (found === undefined) throw new Error(`the fake server does not serve ${type.plural}`);
    return found;
  }

  #find(path: string): Path | undefined {
    const match = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/(.+)$/.exec(path);
    if (match === null) return undefined;
    const [, group = '', version, rest = ''] = match;
    const parts = rest.split('/').map(decodeURIComponent);
    const of = (plural: string | undefined) => this.#collections.get(`${group}/${version}/${plural}`);
    const inNamespace = parts[0] === 'namespaces' && parts.length > 2 ? of(parts[2]) : undefined;
    if (inNamespace?.type.namespaced)
      return { collection: inNamespace, namespace: parts[1], name: parts[3], subresource: parts[4] };
    const collection = of(parts[0]);
    return collection && { collection, namespace: undefined, name: parts[1], subresource: parts[2] };
  }
}

function parse(call: Call): { readonly path: string; readonly query: URLSearchParams } {
  const at = call.path.indexOf('?');
  return at < 0
    ? { path: call.path, query: new URLSearchParams() }
    : { path: call.path.slice(0, at), query: new URLSearchParams(call.path.slice(at + 1)) };
}

function bodyOf(call: Call): ApiObject {
  return call.body === undefined
    ? ({ metadata: {} } as ApiObject)
    : (parseJson(String(call.body)) as unknown as ApiObject);
}

function keyIn(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}

function withoutType({ apiVersion: _, kind: _kind, ...rest }: ApiObject): object {
  return rest;
}

function notFound(what: string, details?: { readonly name: string }): ApiError {
  const status = { kind: 'Status', code: 404, reason: 'NotFound', message: `${what} not found` };
  return new ApiError(404, details === undefined ? status : { ...status, details });
}

function conflictOf(reason: string, message: string): ApiError {
  return new ApiError(409, { kind: 'Status', code: 409, reason, message });
}
