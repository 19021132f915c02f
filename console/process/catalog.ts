import type { Client } from '#client/client.ts';
import type { Discovered, DiscoveredType } from '#client/discovery/discovered.ts';
import { Discovery } from '#client/discovery/discovery.ts';
import { isForbidden } from '#client/errors.ts';
import { authorizationV1, coreV1 } from '#client/generated/resources.ts';
import type { Access, CatalogKind } from '../protocol/messages.ts';
import { RequestError } from './problem.ts';

/**
 * How long the list of served types is reused, in milliseconds. Definitions of new types may arrive while a page is
 * open.
 */
const KNOWN_MS = 30_000;

/**
 * The kinds that the server serves, and those that the user may list. All kinds come from discovery; the code names
 * none.
 */
export class Kinds {
  readonly #client: Client;
  readonly #discovery: Discovery;

  constructor(client: Client) {
    this.#client = client;
    this.#discovery = new Discovery(client, { maxAgeMs: KNOWN_MS });
  }

  /** All kinds that can be listed. */
  async all(): Promise<{ readonly kinds: readonly CatalogKind[]; readonly missing: readonly string[] }> {
    const discovered = await this.#discovery.get();
    const kinds = discovered.thatCan('list').map(kindOf);
    return { kinds, missing: [...discovered.failed.keys()] };
  }

  /** The type that an id names. @throws RequestError if the server does not serve it */
  async type(id: string): Promise<DiscoveredType> {
    const found = find(await this.#discovery.get(), id) ?? find(await this.#discovery.refresh(), id);
    if (found === undefined) throw new RequestError(`the server serves no kind ${id}`);
    return found;
  }

  /** The type of the objects of a kind; undefined if the server does not serve it. */
  async ofKind(apiVersion: string, kind: string): Promise<DiscoveredType | undefined> {
    return (await this.#discovery.get()).ofKind(apiVersion, kind);
  }

  /** The id of a kind, in the preferred version of its group; undefined if the server does not serve it. */
  async idOf(group: string, kind: string): Promise<string | undefined> {
    const types = (await this.#discovery.get()).preferred();
    const type = types.find((each) => each.group === group && each.kind === kind);
    return type === undefined ? undefined : idOf(type);
  }

  /** All types whose objects clients can list and read, each once. */
  async listable(): Promise<readonly DiscoveredType[]> {
    return (await this.#discovery.get()).thatCan('list', 'get');
  }

  /** Undefined if the user may not list namespaces. */
  async namespaces(): Promise<readonly string[] | undefined> {
    try {
      const { items } = await this.#client.resource(coreV1.namespaces).metadataOnly().list();
      return items.map(({ metadata }) => metadata.name ?? '').sort();
    } catch (error) {
      if (isForbidden(error)) return undefined;
      throw error;
    }
  }

  /** The kinds that the user may list in a namespace; all kinds if the server does not know all rules. */
  async access(namespace: string): Promise<Access> {
    const review = await this.#client
      .resource(authorizationV1.selfsubjectrulesreviews)
      .create({ metadata: {}, spec: { namespace } });
    const { resourceRules = [], incomplete = false } = review.status ?? {};
    if (incomplete) return { listable: 'all' };
    const holds = (list: readonly string[] | null | undefined, value: string) =>
      list?.includes('*') === true || list?.includes(value) === true;
    const types = (await this.#discovery.get()).thatCan('list');
    const listable = types.filter(({ group, plural }) =>
      (resourceRules ?? []).some(
        ({ apiGroups, resources, verbs, resourceNames }) =>
          holds(apiGroups, group) && holds(resources, plural) && holds(verbs, 'list') && !resourceNames?.length,
      ),
    );
    return { listable: listable.map(idOf) };
  }
}

function find(discovered: Discovered, id: string): DiscoveredType | undefined {
  return discovered.types.find((type) => idOf(type) === id);
}

export function idOf({ plural, version, group }: Pick<DiscoveredType, 'plural' | 'version' | 'group'>): string {
  return `${plural}.${version}.${group}`;
}

function kindOf(type: DiscoveredType): CatalogKind {
  const { plural, kind, group, version, shortNames, namespaced, verbs } = type;
  return { id: idOf(type), plural, kind, group, version, shortNames, isNamespaced: namespaced, verbs };
}
