import { createHash } from 'node:crypto';
import { methodNotAllowed, pathNotFound } from '#base/errors/status-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { type Answer, object } from '../../api/answer.ts';
import { acceptedOnly, negotiate } from '../../api/negotiation.ts';
import { ObjectContent } from '../../api/object-content.ts';
import type { RequestContext } from '../../api/request-context.ts';
import type { ServedResource } from '../../api/served-resource.ts';
import type { ServedGroup, ServedResources } from '../../api/served-resources.ts';
import type { VersionsElsewhere } from '../../api/versions-elsewhere.ts';
import { serveContent } from '../../openapi/serve-content.ts';
import type { Registry } from '../../resources/registry.ts';
import { AggregatedDiscovery, aggregatedVersion } from './aggregated-discovery.ts';

/** Digests are computed from the upstream names, like keys, so that they are the same in every profile. */
const UPSTREAM = createNaming('kubernetes');

/** A digest of the stored group, version and kind. From it clients see when a kind's stored form changes. */
function storageVersionHash(served: ServedResource): string | undefined {
  const { stored } = served;
  if (stored === undefined) return undefined;
  const text = `${UPSTREAM.group(stored.group)}/${stored.version}/${stored.kind}`;
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64');
}

function resourceEntries(registry: Registry, served: ServedResource): JsonObject[] {
  const { type } = served;
  const hash = storageVersionHash(served);
  const own: JsonObject = {
    name: type.plural,
    singularName: type.singular,
    namespaced: type.namespaced,
    kind: type.kind,
    verbs: [...type.verbs],
    ...(type.shortNames.length === 0 ? {} : { shortNames: [...type.shortNames] }),
    ...(type.categories.length === 0 ? {} : { categories: [...type.categories] }),
    ...(hash === undefined ? {} : { storageVersionHash: hash }),
  };
  const below = type.subresources.map((sub) => ({
    name: `${type.plural}/${sub.name}`,
    singularName: '',
    namespaced: type.namespaced,
    ...(sub.group === undefined ? {} : { group: registry.naming.group(sub.group) }),
    ...(sub.version === undefined ? {} : { version: sub.version }),
    kind: sub.kind,
    verbs: [...sub.verbs],
  }));
  return [own, ...below];
}

/**
 * Decides which groups are listed, and in which order, with those of other servers. It returns the same values until
 * they change.
 */
export interface ListedGroups {
  groups(resources: ServedResources): readonly ServedGroup[];
  group(resources: ServedResources, name: string): ServedGroup | undefined;
  /** The known versions that other servers serve; absent means none. */
  elsewhere?(): VersionsElsewhere;
}

const NOTHING_ELSEWHERE: VersionsElsewhere = new Map();

/** The served resources at each moment, without those of other servers. */
const OWN: ListedGroups = {
  groups: (resources) => resources.groups,
  group: (resources, name) => resources.group(name),
};

/** Whether everything in a version is defined at run time. */
function isDefined(resources: ServedResources, group: string, version: string): boolean {
  return resources.inVersion(group, version).every(({ isCustom }) => isCustom === true);
}

/** Discovery documents. Each is made at its first use and kept while its content does not change. */
export class Discovery {
  readonly #registry: Registry;
  readonly #serverAddress: string;
  readonly #listed: ListedGroups;
  readonly #aggregated: AggregatedDiscovery;
  /** Documents by content: a list of groups, a group, the resources of a version. */
  readonly #documents = new WeakMap<object, ObjectContent>();
  /**
   * The group whose resources list groups. It answers like a version. All other groups answer like the list, to any
   * method. So do versions of custom kinds.
   */
  readonly #ownGroup: string;

  /** @param serverAddress the address to which clients should connect: `host:port` */
  constructor(registry: Registry, serverAddress: string, listed: ListedGroups = OWN) {
    this.#registry = registry;
    this.#listed = listed;
    this.#serverAddress = serverAddress;
    this.#aggregated = new AggregatedDiscovery(registry, () => listed.elsewhere?.() ?? NOTHING_ELSEWHERE);
    this.#ownGroup = registry.naming.group('apiregistration');
  }

  /**
   * Answers `/api`, `/apis`, `/apis/GROUP`, `/api/v1` and `/apis/GROUP/VERSION`; undefined for other paths. For clients
   * that ask for that form, the first two contain everything below them.
   */
  async answer(context: RequestContext): Promise<Answer | undefined> {
    const parts = context.info.path.split('/').filter((part) => part !== '');
    const [prefix, ...rest] = parts;
    if (prefix !== 'api' && prefix !== 'apis') return undefined;
    const resources = context.resources ?? this.#registry.current();
    const content = this.#find(resources, prefix, rest);
    if (content === undefined) return undefined;
    const anyMethod =
      prefix === 'apis' && (rest.length < 2 ? rest[0] !== this.#ownGroup : isDefined(resources, rest[0]!, rest[1]!));
    if (!anyMethod && context.info.method !== 'GET') throw methodNotAllowed();
    const { naming } = this.#registry;
    const form =
      rest.length === 0
        ? aggregatedVersion(context.header('accept'), naming, this.#registry.schema.release)
        : undefined;
    if (form !== undefined) {
      const groups = this.#below(prefix, resources);
      return serveContent(context, await this.#aggregated.document(prefix, form, resources, groups));
    }
    const offer = { transforms: false, watchable: false, ranges: anyMethod };
    try {
      context.form = negotiate(context.header('accept'), context.query, context.header('user-agent'), naming, offer);
    } catch (error) {
      throw anyMethod ? acceptedOnly(naming) : error;
    }
    return object(content);
  }

  /** The paths of all documents, which the root lists. */
  get paths(): string[] {
    const groups = this.#listed
      .groups(this.#registry.current())
      .flatMap(({ name, versions }) =>
        name === '' ? ['/api', '/api/v1'] : [`/apis/${name}`, ...versions.map((version) => `/apis/${name}/${version}`)],
      );
    return ['/apis', ...groups];
  }

  /** The groups below a prefix. */
  #below(prefix: 'api' | 'apis', resources: ServedResources): readonly ServedGroup[] {
    return this.#listed.groups(resources).filter(({ name }) => (name === '') === (prefix === 'api'));
  }

  #find(resources: ServedResources, prefix: 'api' | 'apis', rest: readonly string[]): ObjectContent | undefined {
    if (prefix === 'api') {
      if (rest.length === 0) return this.#once(this, () => this.#versions());
      if (rest.length > 1 || !resources.hasVersion('', rest[0]!)) throw pathNotFound();
      return this.#resources(resources, '', rest[0]!);
    }
    const [group, version] = rest;
    if (group === undefined) {
      return this.#once(this.#listed.groups(resources), () => this.#groups(this.#below('apis', resources)));
    }
    const served = group === '' ? undefined : this.#listed.group(resources, group);
    if (served === undefined) return undefined;
    if (version === undefined) return this.#once(served, () => this.#group(served));
    if (rest.length > 2 || !resources.hasVersion(group, version)) {
      const [builtIn] = served.versions
        .flatMap((one) => resources.inVersion(group, one))
        .filter((one) => !one.isCustom);
      // For custom kinds, and for resources of another server, there is not even a refusal.
      if (builtIn === undefined) return undefined;
      throw pathNotFound();
    }
    return this.#resources(resources, group, version);
  }

  #once(told: object, make: () => ObjectContent): ObjectContent {
    let document = this.#documents.get(told);
    if (document === undefined) this.#documents.set(told, (document = make()));
    return document;
  }

  #content(kind: string, apiVersion: string, value: JsonObject): ObjectContent {
    return ObjectContent.ofObject(kind, apiVersion, this.#registry.schema.message(`meta.v1.${kind}`), value);
  }

  #versions(): ObjectContent {
    const addresses = [{ clientCIDR: '0.0.0.0/0', serverAddress: this.#serverAddress }];
    return this.#content('APIVersions', '', { versions: ['v1'], serverAddressByClientCIDRs: addresses });
  }

  #groupValue({ name, versions }: ServedGroup): JsonObject {
    const list = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions: list, preferredVersion: list[0]! };
  }

  #groups(listed: readonly ServedGroup[]): ObjectContent {
    const groups = listed.map((group) => this.#groupValue(group));
    return this.#content('APIGroupList', 'v1', { groups });
  }

  #group(group: ServedGroup): ObjectContent {
    return this.#content('APIGroup', 'v1', this.#groupValue(group));
  }

  #resources(resources: ServedResources, group: string, version: string): ObjectContent {
    const served = resources.inVersion(group, version);
    return this.#once(served, () => {
      const entries = served.flatMap((one) => resourceEntries(this.#registry, one));
      const groupVersion = group === '' ? version : `${group}/${version}`;
      return this.#content('APIResourceList', group === '' ? '' : 'v1', { groupVersion, resources: entries });
    });
  }
}
