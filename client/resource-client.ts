import type { JsonValue } from '#base/json/json-value.ts';
import type { ApiObject, ObjectMeta } from '#schema/objects/api-object.ts';
import { listOf, objectOf } from './answers.ts';
import type { NamedCaller } from './caller.ts';
import type { AppliedObject, PatchOf, PatchType } from './changes.ts';
import { isGone } from './errors.ts';
import { formatJson, parseJson } from './json.ts';
import { pathSegment } from './path-segment.ts';
import { apiVersionOf, groupOf, type ResourceType } from './resource-type.ts';
import { readEvents, type WatchEvent } from './watch-events.ts';

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call, 30,000 by default. */
  readonly timeoutMs?: number | undefined;
}

export interface GetOptions extends CallOptions {
  /** '0' asks for the state that the server has in memory, which may be old. */
  readonly resourceVersion?: string | undefined;
  readonly subresource?: string | undefined;
}

export interface ListOptions extends CallOptions {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
}

export interface WatchOptions extends CallOptions {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** The server sends changes after this version. Without a version, the stream first has every existing object. */
  readonly resourceVersion?: string | undefined;
  readonly allowWatchBookmarks?: boolean | undefined;
  /** The number of seconds after which the server ends the stream. */
  readonly timeoutSeconds?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
  readonly subresource?: string | undefined;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Whether to take over fields that other managers own. */
  readonly force?: boolean | undefined;
}

/** Conditions of a deletion. If one of them does not hold, the server refuses the deletion with 409. */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export interface DeleteOptions extends CallOptions {
  readonly preconditions?: Preconditions | undefined;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface List<T> {
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: T[];
}

/** An object of any type, with only its metadata. */
export interface MetadataObject extends ApiObject {
  metadata: ObjectMeta;
}

const patchMediaTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/**
 * Reads and writes the objects of one type, in one namespace or in all. Values of this class are cheap to create. A
 * name that no object can have is refused with a NameError before a request is sent. So '' never means all objects.
 * Calls reject with an ApiError if the server refuses, and with a ConnectionError if no answer arrives.
 */
export class ResourceClient<T extends ApiObject> {
  readonly type: ResourceType<T>;
  readonly namespace: string | undefined;
  readonly #client: NamedCaller;
  readonly #whole: boolean;

  constructor(client: NamedCaller, type: ResourceType<T>, namespace?: string, whole = true) {
    this.#client = client;
    this.type = type;
    this.namespace = namespace;
    this.#whole = whole;
  }

  /** A client for the same type in one namespace. */
  in(namespace: string | undefined): ResourceClient<T> {
    return new ResourceClient(this.#client, this.type, namespace, this.#whole);
  }

  /** A client for the same objects, which the server reduces to their metadata. */
  metadataOnly(): ResourceClient<MetadataObject> {
    return new ResourceClient<MetadataObject>(this.#client, this.type as ResourceType, this.namespace, false);
  }

  async get(name: string, options: GetOptions = {}): Promise<T> {
    const path = this.#one(name, options.subresource) + query({ resourceVersion: options.resourceVersion });
    return this.#read(await this.#client.call({ method: 'GET', path, headers: this.#headers(), ...common(options) }));
  }

  /** Reads one page. Without a limit it reads all objects. */
  async list(options: ListOptions = {}): Promise<List<T>> {
    const { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch, limit } = options;
    const fields = { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch, limit };
    const path = this.#path() + query({ ...fields, continue: options.continue });
    const headers = this.#headers(undefined, 'PartialObjectMetadataList');
    const answer = await this.#client.call({ method: 'GET', path, headers, ...common(options) });
    return listOf<T>(parseJson(answer.text));
  }

  /**
   * Reads all pages of one version. If the server no longer keeps that version, the remaining pages have a newer
   * version.
   */
  async *pages(options: ListOptions & { readonly limit: number }): AsyncGenerator<List<T>, void, void> {
    let next: string | undefined;
    do {
      let page: List<T>;
      try {
        page = await this.list(
          next === undefined
            ? options
            : { ...options, continue: next, resourceVersion: undefined, resourceVersionMatch: undefined },
        );
      } catch (error) {
        const onward = isGone(error) ? (error as { status?: { metadata?: { continue?: string } } }).status : undefined;
        if (next === undefined || !onward?.metadata?.continue) throw error;
        next = onward.metadata.continue;
        continue;
      }
      yield page;
      next = page.metadata.continue;
    } while (next);
  }

  /** Opens a watch. Rejects if the server refuses it. The stream ends when the server or the signal ends it. */
  async watch(options: WatchOptions = {}): Promise<AsyncGenerator<WatchEvent<T>, void, void>> {
    const { labelSelector, fieldSelector, resourceVersion, allowWatchBookmarks, timeoutSeconds } = options;
    const fields = { watch: true, labelSelector, fieldSelector, resourceVersion, allowWatchBookmarks, timeoutSeconds };
    const path = this.#path() + query(fields);
    return readEvents<T>(
      await this.#client.open({ method: 'GET', path, headers: this.#headers(), ...common(options) }),
    );
  }

  /** Creates an object. With `subresource` the answer may be of another kind, such as a token request. */
  create(object: T, options: WriteOptions & { readonly name?: string } = {}): Promise<T> {
    const { name, subresource } = options;
    return this.#write('POST', name === undefined ? this.#path() : this.#one(name, subresource), object, options);
  }

  /**
   * Replaces an object. If the given object has a resourceVersion, the server refuses the write if the stored object
   * has another one.
   */
  update(object: T, options: WriteOptions = {}): Promise<T> {
    return this.#write('PUT', this.#one(object.metadata.name, options.subresource), object, options);
  }

  /**
   * Changes parts of an object. A merge or strategic patch may contain a uid or a resourceVersion in its metadata. If
   * they are not current, the server refuses the patch with 409.
   *
   * @example await pods.patch('web', 'merge', { metadata: { labels: { tier: 'front', old: null } } })
   */
  async patch<Type extends PatchType>(
    name: string,
    type: Type,
    patch: PatchOf<T, Type>,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.#send('PATCH', this.#one(name, options.subresource), patch, options, patchMediaTypes[type]);
  }

  /**
   * Server-side apply: the given fields now belong to this manager. The server removes fields that this manager set
   * before and that are now missing.
   *
   * @throws ApiError (409) if another manager owns one of the fields and `force` is not set
   * @example await deployments.apply({ metadata: { name: 'web' }, spec: { replicas: 3 } }, { fieldManager: 'scaler' })
   */
  async apply(object: AppliedObject<T>, options: ApplyOptions): Promise<T> {
    const whole = { apiVersion: apiVersionOf(this.type, this.#client.naming), kind: this.type.kind, ...object };
    const path = this.#one(object.metadata.name, options.subresource);
    return this.#send('PATCH', path, whole, options, patchMediaTypes.apply, { force: options.force });
  }

  /** Deletes an object. Resolves to the object if it still exists for a while, and otherwise to a Status. */
  async delete(name: string, options: DeleteOptions = {}): Promise<T> {
    return this.#remove(this.#one(name), options);
  }

  /** Deletes all selected objects, one after the other. */
  async deleteCollection(options: DeleteOptions & Pick<ListOptions, 'labelSelector' | 'fieldSelector'> = {}) {
    const { labelSelector, fieldSelector } = options;
    await this.#remove(this.#path() + query({ labelSelector, fieldSelector }), options);
  }

  async #remove(path: string, options: DeleteOptions): Promise<T> {
    const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun } = options;
    const body = formatJson({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions,
      propagationPolicy,
      gracePeriodSeconds,
      dryRun: dryRun === true ? ['All'] : undefined,
    });
    const headers = this.#headers('application/json');
    const answer = await this.#client.call({ method: 'DELETE', path, headers, body, ...common(options) });
    return this.#written(answer, dryRun);
  }

  #write(method: string, path: string, object: T, options: WriteOptions): Promise<T> {
    const own = { apiVersion: apiVersionOf(this.type, this.#client.naming), kind: this.type.kind };
    return this.#send(method, path, { ...own, ...object }, options, 'application/json');
  }

  async #send(
    method: string,
    path: string,
    body: JsonValue | object,
    options: WriteOptions,
    mediaType: string,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<T> {
    const { dryRun, fieldManager, fieldValidation } = options;
    const fields = { dryRun: dryRun === true ? 'All' : undefined, fieldManager, fieldValidation, ...more };
    const answer = await this.#client.call({
      method,
      path: path + query(fields),
      headers: this.#headers(mediaType),
      body: formatJson(body),
      ...common(options),
    });
    return this.#written(answer, dryRun);
  }

  #written(answer: { readonly text: string }, dryRun: boolean | undefined): T {
    const object = this.#read(answer);
    if (dryRun !== true) this.#client.noteWrite?.(this.type as ResourceType, object);
    return object;
  }

  #read(answer: { readonly text: string }): T {
    return objectOf<T>(parseJson(answer.text));
  }

  #headers(contentType?: string, reducedTo = 'PartialObjectMetadata'): Record<string, string> {
    const accept = this.#whole
      ? 'application/json'
      : `application/json;as=${reducedTo};g=${this.#client.naming.group('meta')};v=v1`;
    return contentType === undefined ? { accept } : { accept, 'content-type': contentType };
  }

  /** The path of one object. @throws NameError */
  #one(name: string | undefined, subresource?: string): string {
    const part = subresource === undefined ? '' : `/${subresource}`;
    return `${this.#path()}/${pathSegment(name ?? '')}${part}`;
  }

  /** The path of the collection, such as `/api/v1/namespaces/default/pods`. @throws NameError */
  get path(): string {
    return this.#path();
  }

  #path(): string {
    const { type, namespace } = this;
    const group = groupOf(type, this.#client.naming);
    const root = group === '' ? `/api/${type.version}` : `/apis/${group}/${type.version}`;
    const scope =
      type.namespaced && namespace !== undefined ? `/namespaces/${pathSegment(namespace, 'namespace')}` : '';
    return `${root}${scope}/${type.plural}`;
  }
}

function common({ signal, timeoutMs }: CallOptions): CallOptions {
  return { signal, timeoutMs };
}

/** A query string: `?watch=true&limit=500`, or nothing. */
export function query(fields: Readonly<Record<string, string | number | boolean | undefined | unknown>>): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === false || value === '' ? [] : [`${name}=${encodeURIComponent(String(value))}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
