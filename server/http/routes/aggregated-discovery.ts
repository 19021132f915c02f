import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import { emptyMetadata } from '#schema/objects/empty-metadata.ts';
import { parseAccept } from '../../api/negotiation.ts';
import type { ServedResource } from '../../api/served-resource.ts';
import type { ServedGroup, ServedResources } from '../../api/served-resources.ts';
import type { VersionElsewhere, VersionsElsewhere } from '../../api/versions-elsewhere.ts';
import { pack, packedHash } from '../../openapi/pack.ts';
import type { ServedContent } from '../../openapi/serve-content.ts';
import type { Registry } from '../../resources/registry.ts';

/** The versions of the form that contains all groups with their resources. */
export type AggregatedVersion = 'v2' | 'v2beta1';

const KIND = 'APIGroupDiscoveryList';
/** The first release that no longer serves the beta form. */
const NO_BETA = 35;
const PLAIN: ReadonlySet<string> = new Set(['json', 'yaml']);

/** The content for a version of another server that has not answered yet. */
const UNKNOWN: VersionElsewhere = { resources: [], stale: true };

/**
 * The version of the aggregated form that an Accept header asks for. Undefined if a plain list has the same preference
 * or is the only possible form. Of forms with equal preference, the first is used. But `v2beta1` counts only if plain
 * JSON is not among them, because releases that know only `v2beta1` prefer plain lists.
 *
 * Since 1.35 there is no `v2beta1`, and `v2` counts at any position.
 */
export function aggregatedVersion(
  accept: string | undefined,
  naming: Naming,
  release: Release,
): AggregatedVersion | undefined {
  if (accept === undefined || !accept.includes(KIND)) return undefined;
  const group = naming.group('apidiscovery');
  if (release.atLeast(NO_BETA)) {
    const wanted = parseAccept(accept).some(
      ({ type, subtype, quality, params }) =>
        quality > 0 && `${type}/${subtype}` === 'application/json' && isForm(params, 'v2', group),
    );
    return wanted ? 'v2' : undefined;
  }
  let beta: number | undefined;
  for (const { type, subtype, quality, params } of parseAccept(accept)) {
    if (beta !== undefined && quality < beta) break;
    if (quality <= 0 || type !== 'application') continue;
    const [as, g, v] = [params.get('as'), params.get('g'), params.get('v')];
    if (as === undefined && g === undefined && v === undefined) {
      if (PLAIN.has(subtype) || `application/${subtype}` === naming.protobufMediaType) return undefined;
    } else if (subtype === 'json' && as === KIND && g === group) {
      if (v === 'v2') return 'v2';
      if (v === 'v2beta1') beta ??= quality;
    }
  }
  return beta === undefined ? undefined : 'v2beta1';
}

function isForm(params: ReadonlyMap<string, string>, version: AggregatedVersion, group: string): boolean {
  return params.get('as') === KIND && params.get('g') === group && params.get('v') === version;
}

/** The entry of a resource with its subresources. It does not repeat the group version if it is that of the list. */
function resourceEntry(naming: Naming, { type, group, version, isCustom }: ServedResource): JsonObject {
  const own = isCustom === true ? { group, version } : { group: '', version: '' };
  const subresources = type.subresources.map((sub) => ({
    subresource: sub.name,
    responseKind: {
      group: sub.group === undefined ? own.group : naming.group(sub.group),
      version: sub.version ?? own.version,
      kind: sub.kind,
    },
    verbs: [...sub.verbs],
  }));
  return {
    resource: type.plural,
    responseKind: { ...own, kind: type.kind },
    scope: type.namespaced ? 'Namespaced' : 'Cluster',
    // The plain lists leave it out for built-in kinds, and clients guess it.
    singularResource: type.singular || type.kind.toLowerCase(),
    verbs: [...type.verbs],
    ...(type.shortNames.length === 0 ? {} : { shortNames: [...type.shortNames] }),
    ...(type.categories.length === 0 ? {} : { categories: [...type.categories] }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/**
 * The entry of a group version in the list. Versions of this server are always current. The entry of an extension
 * server has its last answer. It is marked as stale while that server does not answer. A client that reads the list
 * must not conclude that its resources are gone.
 */
export function versionEntry(
  naming: Naming,
  version: string,
  served: readonly ServedResource[],
  elsewhere: VersionElsewhere = UNKNOWN,
): JsonObject {
  const own = served.length > 0;
  const resources = own ? served.map((one) => resourceEntry(naming, one)) : [...elsewhere.resources];
  const freshness = own || !elsewhere.stale ? 'Current' : 'Stale';
  return { version, ...(resources.length === 0 ? {} : { resources }), freshness };
}

/** A document and its sources. */
interface Made {
  readonly groups: readonly ServedGroup[];
  readonly texts: readonly string[];
  readonly document: Promise<ServedContent>;
}

/**
 * Documents that contain all groups with all their resources. They are made at their first use, and again after a
 * change.
 */
export class AggregatedDiscovery {
  readonly #registry: Registry;
  readonly #elsewhere: () => VersionsElsewhere;
  /** The texts of versions, by content. */
  readonly #texts = new WeakMap<object, string>();
  /** The keys are the path and the form. */
  readonly #made = new Map<string, Made>();

  constructor(registry: Registry, elsewhere: () => VersionsElsewhere) {
    this.#registry = registry;
    this.#elsewhere = elsewhere;
  }

  /** The document of `/api` or `/apis`. `groups` are the listed groups, in their order. */
  document(
    path: 'api' | 'apis',
    form: AggregatedVersion,
    resources: ServedResources,
    groups: readonly ServedGroup[],
  ): Promise<ServedContent> {
    const elsewhere = this.#elsewhere();
    const texts = groups.flatMap(({ name, versions }) =>
      versions.map((version) => this.#text(name, version, resources, elsewhere)),
    );
    const key = `${path} ${form}`;
    const before = this.#made.get(key);
    if (before !== undefined && same(before.groups, groups) && same(before.texts, texts)) return before.document;
    const document = this.#make(form, groups, texts);
    this.#made.set(key, { groups, texts, document });
    document.catch(() => this.#made.delete(key));
    return document;
  }

  #text(group: string, version: string, resources: ServedResources, elsewhere: VersionsElsewhere): string {
    const served = resources.inVersion(group, version);
    const remote = elsewhere.get(`${group}/${version}`) ?? UNKNOWN;
    const shown = served.length > 0 ? served : remote;
    // Versions without resources differ only by their names.
    if (shown === UNKNOWN) return JSON.stringify(versionEntry(this.#registry.naming, version, []));
    let text = this.#texts.get(shown);
    if (text === undefined) {
      text = JSON.stringify(versionEntry(this.#registry.naming, version, served, remote));
      this.#texts.set(shown, text);
    }
    return text;
  }

  async #make(
    form: AggregatedVersion,
    groups: readonly ServedGroup[],
    texts: readonly string[],
  ): Promise<ServedContent> {
    const { naming, schema } = this.#registry;
    const { release } = schema;
    const packed = await pack(pieces(naming.apiVersion('apidiscovery', form), groups, texts, release));
    return {
      contentType: `application/json;g=${naming.group('apidiscovery')};v=${form};as=${KIND}`,
      etag: `"${packedHash(packed)}"`,
      lastModified: Date.now(),
      headers: { Vary: 'Accept', ...(release.atLeast(26) && { 'Cache-Control': 'public' }) },
      body: async () => packed.gzip,
    };
  }
}

function* pieces(
  apiVersion: string,
  groups: readonly ServedGroup[],
  texts: readonly string[],
  release: Release,
): Generator<string> {
  yield `{"kind":"${KIND}","apiVersion":${JSON.stringify(apiVersion)},"metadata":{},"items":[`;
  let next = 0;
  for (const [i, { name, versions }] of groups.entries()) {
    const metadata = { ...(name !== '' && { name }), ...emptyMetadata(release) };
    yield `${i === 0 ? '' : ','}{"metadata":${JSON.stringify(metadata)},"versions":[`;
    yield texts.slice(next, next + versions.length).join();
    next += versions.length;
    yield ']}';
  }
  yield ']}';
}

function same<T>(a: readonly T[], b: readonly T[]): boolean {
  return a === b || (a.length === b.length && a.every((one, i) => one === b[i]));
}
