import type { Client } from '#client/client.ts';
import { isForbidden } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { lastWrite, pastVersions } from '#client/past-versions.ts';
import type { ResourceClient } from '#client/resource-client.ts';
import { FieldSetError, parseFieldSet } from '#schema/apply/fields-v1.ts';
import { pathText } from '#schema/apply/path-element.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { toYaml } from '#schema/yaml/write.ts';
import type {
  EventOfObject,
  ManagerOfFields,
  ObjectDetails,
  ObjectRequest,
  VersionOfObject,
} from '../protocol/messages.ts';
import type { Kinds } from './catalog.ts';

/** The most of each that a page is sent. */
const MOST_PATHS = 2_000;
const MOST_EVENTS = 100;
const MOST_VERSIONS = 30;

/** Reads single objects, with what stands around them. */
export class ObjectReader {
  readonly #client: Client;
  readonly #kinds: Kinds;

  constructor(client: Client, kinds: Kinds) {
    this.#client = client;
    this.#kinds = kinds;
  }

  /** The resource of a kind, in a namespace where it has one. @throws RequestError where there is no such kind */
  async resource({ kind, namespace }: Pick<ObjectRequest, 'kind' | 'namespace'>): Promise<ResourceClient<ApiObject>> {
    const type = await this.#kinds.type(kind);
    return this.#client.resource<ApiObject>(type).in(type.namespaced ? namespace : undefined);
  }

  /** An object, its managers, owners and events. @throws ApiError where the server does not give it */
  async details(request: ObjectRequest): Promise<ObjectDetails> {
    const object = await (await this.resource(request)).get(request.name);
    const owners = (object.metadata.ownerReferences ?? []).map(async ({ apiVersion, kind, name }) => ({
      kind,
      name,
      id: await this.#kinds.idOf(apiVersion, kind),
    }));
    return {
      yaml: yamlOf(object),
      uid: object.metadata.uid ?? '',
      resourceVersion: object.metadata.resourceVersion ?? '',
      managers: managersOf(object),
      owners: await Promise.all(owners),
      events: await this.#events(object),
    };
  }

  /** The versions that the server still keeps, newest first. */
  async versions(request: ObjectRequest): Promise<readonly VersionOfObject[]> {
    const resource = await this.resource(request);
    const versions: VersionOfObject[] = [];
    for await (const { object, older } of pastVersions(resource, await resource.get(request.name))) {
      const { manager: by, time = '' } = lastWrite(object, older);
      versions.push({ resourceVersion: object.metadata.resourceVersion ?? '', by, time, yaml: yamlOf(object) });
      if (versions.length === MOST_VERSIONS) break;
    }
    return versions;
  }

  async #events({ metadata }: ApiObject): Promise<readonly EventOfObject[] | undefined> {
    const { uid = '', namespace } = metadata;
    try {
      const { items } = await this.#client
        .resource(coreV1.events)
        .in(namespace ?? 'default')
        .list({ fieldSelector: `involvedObject.uid=${uid}`, limit: MOST_EVENTS });
      return items
        .map(({ type = '', reason = '', message = '', count, lastTimestamp, eventTime }) => ({
          type,
          reason,
          message,
          count: count ?? 1,
          last: String(lastTimestamp ?? eventTime ?? ''),
        }))
        .sort((a, b) => (a.last < b.last ? 1 : -1));
    } catch (error) {
      if (isForbidden(error)) return undefined;
      throw error;
    }
  }
}

/** An object as the page shows and edits it: who manages its fields stands elsewhere. */
export function yamlOf(object: ApiObject): string {
  const { managedFields: _, ...metadata } = object.metadata;
  return toYaml({ ...object, metadata });
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
    // An entry that cannot be read says nothing about fields.
    if (error instanceof FieldSetError) return [];
    throw error;
  }
}
