import type { Client } from '#client/client.ts';
import { isForbidden, isNotFound } from '#client/errors.ts';
import { type Schema, Schemas } from '#client/open-api/schemas.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { KindSchema } from '../protocol/object-messages.ts';

/** The schemas that a server publishes of a kind. */
export interface PublishedKind {
  readonly schemas: Schemas;
  readonly root: Schema;
}

/** How long documents are reused, in milliseconds. Definitions may change while a page is open. */
const KNOWN_MS = 30_000;

/** The largest number of documents that are stored. The largest takes about 5 MB. */
const MOST_DOCUMENTS = 8;

interface Known {
  readonly until: number;
  readonly schemas: Promise<Schemas | undefined>;
}

/** The schemas that the server publishes for kinds, including custom and aggregated kinds. */
export class KindSchemas {
  readonly #client: Client;
  readonly #known = new Map<string, Known>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Undefined if the server publishes no schema for the kind. @throws ApiError, ConnectionError */
  async of({ group, version, kind }: ResourceType): Promise<PublishedKind | undefined> {
    const schemas = await this.#document(group === '' ? `api/${version}` : `apis/${group}/${version}`);
    const extension = `${this.#client.naming.extensionPrefix}group-version-kind`;
    const root = schemas?.ofKind(group, version, kind, extension);
    return schemas === undefined || root === undefined ? undefined : { schemas, root };
  }

  #document(path: string): Promise<Schemas | undefined> {
    const now = performance.now();
    const known = this.#known.get(path);
    if (known !== undefined && known.until > now) return known.schemas;
    const schemas = this.#read(path);
    schemas.catch(() => this.#known.delete(path));
    this.#known.delete(path);
    this.#known.set(path, { until: now + KNOWN_MS, schemas });
    for (const oldest of this.#known.keys())
      if (this.#known.size > MOST_DOCUMENTS) this.#known.delete(oldest);
      else break;
    return schemas;
  }

  async #read(path: string): Promise<Schemas | undefined> {
    try {
      const document = await this.#client.getJson<{ components?: { schemas?: Record<string, Schema> } }>(
        `/openapi/v3/${path}`,
      );
      return new Schemas(document.components?.schemas ?? {});
    } catch (error) {
      if (isNotFound(error) || isForbidden(error)) return undefined;
      throw error;
    }
  }
}

/** The schema of a kind with all that it refers to. */
export function withReferences({ schemas, root }: PublishedKind): KindSchema {
  const definitions: Record<string, Schema> = {};
  const take = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value))
      if (key !== '$ref') take(inner);
      else if (typeof inner === 'string') {
        const name = inner.slice(inner.lastIndexOf('/') + 1);
        if (Object.hasOwn(definitions, name)) continue;
        definitions[name] = schemas.target({ $ref: inner });
        take(definitions[name]);
      }
  };
  take(root);
  return { root, definitions };
}

/** Whether a kind can be restarted: it has a pod template, and a strategy that replaces its pods. */
export function rollsOut({ schemas, root }: PublishedKind): boolean {
  const field = (schema: Schema | undefined, name: string): Schema | undefined => {
    const { properties } = schema === undefined ? {} : schemas.resolve(schema);
    return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
  };
  const spec = field(root, 'spec');
  const containers = field(field(field(spec, 'template'), 'spec'), 'containers');
  return containers !== undefined && ['strategy', 'updateStrategy'].some((name) => field(spec, name) !== undefined);
}
