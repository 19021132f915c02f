import type { Client } from '#client/client.ts';
import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { isForbidden } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { lastWrite, pastVersions } from '#client/past-versions.ts';
import type { ResourceClient } from '#client/resource-client.ts';
import { FieldSetError, parseFieldSet } from '#schema/apply/fields-v1.ts';
import { pathText } from '#schema/apply/path-element.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { toYaml } from '#schema/yaml/write.ts';
import type {
  ActionName,
  ConditionOfObject,
  EventOfObject,
  HistoryOfObject,
  ManagerOfFields,
  ObjectDetails,
  ObjectRequest,
  VersionMark,
  VersionOfObject,
} from '../protocol/object-messages.ts';
import { idOf, type Kinds } from './catalog.ts';
import { type KindSchemas, type PublishedKind, rollsOut } from './kind-schemas.ts';

/** The most of each that a page is sent. */
const MOST_PATHS = 2_000;
const MOST_EVENTS = 100;
const MOST_CONDITIONS = 100;
const MOST_VERSIONS = 30;
const MOST_CHARACTERS = 4_000_000;

/** Reads single objects, with their owners, events and other related data. */
export class ObjectReader {
  readonly #client: Client;
  readonly #kinds: Kinds;
  readonly #schemas: KindSchemas;

  constructor(client: Client, kinds: Kinds, schemas: KindSchemas) {
    this.#client = client;
    this.#kinds = kinds;
    this.#schemas = schemas;
  }

  /**
   * The resource of a kind, in a namespace if the kind has namespaces. @throws RequestError if the kind does not exist
   */
  async resource({ kind, namespace }: Pick<ObjectRequest, 'kind' | 'namespace'>): Promise<ResourceClient<ApiObject>> {
    const type = await this.#kinds.type(kind);
    return this.#client.resource<ApiObject>(type).in(type.namespaced ? namespace : undefined);
  }

  /** An object and its related data. @throws ApiError if the server does not return it */
  async details(request: ObjectRequest): Promise<ObjectDetails> {
    const type = await this.#kinds.type(request.kind);
    const object = await (await this.resource(request)).get(request.name);
    const owners = (object.metadata.ownerReferences ?? []).map(async ({ apiVersion, kind, name }) => {
      const owner = await this.#kinds.ofKind(apiVersion, kind);
      const namespace = owner?.namespaced === true ? (object.metadata.namespace ?? '') : '';
      return { kind, name, namespace, id: owner === undefined ? undefined : idOf(owner) };
    });
    const [published, events, known] = await Promise.all([
      // The objects are readable even if the server publishes no schemas.
      this.#schemas.of(type).catch(() => undefined),
      this.#events(object),
      Promise.all(owners),
    ]);
    return {
      yaml: yamlOf(object),
      uid: object.metadata.uid ?? '',
      resourceVersion: object.metadata.resourceVersion ?? '',
      labels: object.metadata.labels ?? {},
      managers: managersOf(object),
      owners: known,
      conditions: conditionsOf(object['status']),
      events,
      actions: actionsOf(type, published),
      replicas: replicasOf(object['spec']),
    };
  }

  /** The present version of an object. @throws ApiError if the server does not return it */
  async version(request: ObjectRequest): Promise<VersionMark> {
    const { metadata } = await (await this.resource(request)).metadataOnly().get(request.name);
    return { uid: metadata.uid ?? '', resourceVersion: metadata.resourceVersion ?? '' };
  }

  /** The versions that the server still keeps, newest first. */
  async versions(request: ObjectRequest): Promise<HistoryOfObject> {
    const resource = await this.resource(request);
    const newest = await resource.get(request.name);
    const versions: VersionOfObject[] = [];
    let characters = 0;
    for await (const { object, older } of pastVersions(resource, newest)) {
      const { manager: by, time = '' } = lastWrite(object, older);
      const yaml = yamlOf(asVersion(object, newest));
      versions.push({ resourceVersion: object.metadata.resourceVersion ?? '', by, time, yaml });
      characters += yaml.length;
      if (versions.length === MOST_VERSIONS || characters > MOST_CHARACTERS)
        return { versions, isCut: older !== undefined };
    }
    return { versions, isCut: false };
  }

  async #events({ metadata }: ApiObject): Promise<readonly EventOfObject[] | undefined> {
    const { uid = '', namespace } = metadata;
    try {
      const { items } = await this.#client
        .resource(coreV1.events)
        .in(namespace ?? 'default')
        .list({ fieldSelector: `involvedObject.uid=${uid}`, limit: MOST_EVENTS });
      return items
        .map(({ type = '', reason = '', message = '', count, firstTimestamp, lastTimestamp, eventTime, series }) => ({
          type,
          reason,
          message,
          count: series?.count ?? count ?? 1,
          first: String(firstTimestamp ?? eventTime ?? ''),
          last: String(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? ''),
        }))
        .sort((a, b) => (a.last < b.last ? 1 : -1));
    } catch (error) {
      if (isForbidden(error)) return undefined;
      throw error;
    }
  }
}

/** The actions on objects of a kind, according to discovery and the schema. */
function actionsOf({ verbs, subresources }: DiscoveredType, published: PublishedKind | undefined): ActionName[] {
  if (!verbs.includes('patch')) return [];
  return [
    ...(subresources.includes('scale') ? (['scale'] as const) : []),
    ...(published !== undefined && rollsOut(published) ? (['restart'] as const) : []),
    'label',
  ];
}

/** The conditions of an object. The status of any kind has them in one form. */
function conditionsOf(status: unknown): readonly ConditionOfObject[] {
  const { conditions } = (status ?? {}) as { readonly conditions?: unknown };
  if (!Array.isArray(conditions)) return [];
  return conditions.slice(0, MOST_CONDITIONS).flatMap((condition: unknown) => {
    if (typeof condition !== 'object' || condition === null) return [];
    const fields = condition as Readonly<Record<string, unknown>>;
    const text = (name: string): string => (typeof fields[name] === 'string' ? fields[name] : '');
    if (text('type') === '') return [];
    const since = text('lastTransitionTime') || text('lastUpdateTime');
    return [{ type: text('type'), status: text('status'), reason: text('reason'), message: text('message'), since }];
  });
}

function replicasOf(spec: unknown): number | undefined {
  const { replicas } = (spec ?? {}) as { readonly replicas?: unknown };
  return typeof replicas === 'number' ? replicas : undefined;
}

/** An object as the page shows and edits it, without its managed fields, which the page shows elsewhere. */
export function yamlOf(object: ApiObject): string {
  const { managedFields: _, ...metadata } = object.metadata;
  return toYaml({ ...object, metadata });
}

/**
 * A past version in the form for comparison. Adds the kind, which items of lists do not contain. Removes the resource
 * version, which always differs.
 */
function asVersion(object: ApiObject, { apiVersion, kind }: ApiObject): ApiObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { apiVersion: apiVersion ?? '', kind: kind ?? '', ...object, metadata };
}

function managersOf({ metadata }: ApiObject): readonly ManagerOfFields[] {
  return (metadata.managedFields ?? []).map(({ manager = '', operation = '', subresource = '', time, fieldsV1 }) => ({
    manager,
    operation,
    subresource,
    time: String(time ?? ''),
    paths: pathsOf(fieldsV1),
  }));
}

function pathsOf(fields: unknown): readonly string[] {
  try {
    const paths: string[] = [];
    for (const path of parseFieldSet((fields ?? {}) as Parameters<typeof parseFieldSet>[0]).paths()) {
      if (paths.length === MOST_PATHS) break;
      paths.push(pathText(path));
    }
    return paths;
  } catch (error) {
    // An entry that cannot be parsed names no fields.
    if (error instanceof FieldSetError) return [];
    throw error;
  }
}
