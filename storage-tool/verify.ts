import type { JsonObject } from '#base/json/json-value.ts';
import { parseStored } from '#base/json/parse-stored.ts';
import { claimOwner, claimValue, clusterIpClaims, nodePortClaims, sameOwner } from '#schema/claims/claim.ts';
import { addressesOf, nodePortsOf } from '#schema/claims/service-claims.ts';
import type { Service } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { DecodeError, decodeObject } from '#schema/objects/decode.ts';
import type { RawValue } from './backend.ts';
import type { Data, StoredObject } from './data.ts';
import { type Out, tableText } from './output.ts';
import { miscountedQuotas } from './quotas.ts';

/** The kinds of damage, by the names that `verify` gives them. */
export type Damage =
  | 'not-opened'
  | 'not-an-object'
  | 'wrong-kind'
  | 'wrong-name'
  | 'no-uid'
  | 'same-uid'
  | 'not-of-its-schema'
  | 'no-such-namespace'
  | 'owner-gone'
  | 'no-definition'
  | 'version-not-listed'
  | 'claim-of-nobody'
  | 'service-without-claim'
  | 'claimed-twice'
  | 'quota-miscounted';

/** One error, and whether it has been repaired. */
export interface Finding {
  readonly damage: Damage;
  readonly key: string;
  readonly what: string;
  repaired: boolean;
}

interface Definition {
  readonly kind: string;
  readonly group: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly listed: readonly string[];
}

interface Reference {
  readonly key: string;
  readonly what: string;
  readonly uid: string;
}

interface Holder {
  readonly stored: StoredObject;
  readonly service: Service;
}

/**
 * Looks for damage in all stored values, at one revision. With `--repair` it corrects claims of addresses and ports so
 * that they match the services that hold them. It also removes orphaned claims, and corrects quotas. A repair is
 * written only if the values on which it depends did not change since they were read. A person must repair all other
 * damage. The exit status is 1 if damage remains.
 */
export async function verify(data: Data, out: Out, repairs: boolean): Promise<number> {
  const check = new Verification(data);
  let seen = 0;
  await data.each('', (object) => {
    check.object(object);
    out.progress('objects', ++seen);
  });
  check.relations();
  await check.claims(repairs);
  await check.quotas(repairs);
  const { findings } = check;
  const open = findings.filter(({ repaired }) => !repaired).length;
  const rows = findings.map(({ damage, key, what, repaired }) => [damage, key, repaired ? `${what} (repaired)` : what]);
  const summary = `${seen} objects, ${findings.length} findings, ${findings.length - open} repaired\n`;
  const text = findings.length === 0 ? summary : `${tableText(['DAMAGE', 'KEY', 'WHAT'], rows)}\n${summary}`;
  out.result({ objects: seen, findings }, text);
  return open > 0 ? 1 : 0;
}

class Verification {
  readonly findings: Finding[] = [];
  readonly #data: Data;
  /** Keys by uid. */
  readonly #uids = new Map<string, string>();
  readonly #references: Reference[] = [];
  readonly #namespaces = new Set<string>();
  readonly #namespaced: { readonly key: string; readonly namespace: string }[] = [];
  readonly #definitions = new Map<string, Definition>();
  readonly #custom: { readonly key: string; readonly id: string; readonly kind: string; readonly version: string }[] =
    [];
  readonly #services: Holder[] = [];
  /** Whether some values could not be decrypted. They may be any object. */
  #hidden = false;

  constructor(data: Data) {
    this.#data = data;
  }

  /** Checks a single object, and records facts for later checks. */
  object(stored: StoredObject): void {
    const { key, id, namespace, name, plain } = stored;
    if (id === 'core/namespaces') this.#namespaces.add(name);
    if (plain === undefined) {
      this.#hidden = true;
      this.#find('not-opened', key, stored.problem!);
      return;
    }
    let object: ApiObject;
    try {
      object = parseStored<ApiObject>(plain);
      if (
        typeof object !== 'object' ||
        object === null ||
        typeof object.metadata !== 'object' ||
        object.metadata === null
      )
        throw new Error('it has no metadata');
    } catch (error) {
      // The message of a parser may contain secret text.
      const isSyntax = error instanceof SyntaxError;
      this.#find('not-an-object', key, isSyntax ? 'it is not JSON' : (error as Error).message);
      return;
    }
    const { metadata } = object;
    if (metadata.name !== name || (metadata.namespace ?? '') !== namespace)
      this.#find('wrong-name', key, `it says that it is ${metadata.namespace ?? ''}/${metadata.name ?? ''}`);
    this.#identity(key, metadata.uid);
    for (const { kind, name: owner, uid } of metadata.ownerReferences ?? [])
      this.#references.push({ key, uid: uid ?? '', what: `its owner ${kind} ${owner} is gone` });
    if (namespace !== '') this.#namespaced.push({ key, namespace });
    this.#kind(stored, asJson(object));
    if (id === 'core/services') this.#services.push({ stored, service: object as unknown as Service });
    if (id === 'apiextensions/customresourcedefinitions') this.#define(asJson(object));
  }

  /** Checks whether references between objects are consistent. */
  relations(): void {
    for (const { key, namespace } of this.#namespaced)
      if (!this.#namespaces.has(namespace)) this.#find('no-such-namespace', key, `there is no namespace ${namespace}`);
    if (!this.#hidden)
      for (const { key, uid, what } of this.#references) if (!this.#uids.has(uid)) this.#find('owner-gone', key, what);
    for (const { key, id, kind, version } of this.#custom) {
      const definition = this.#definitions.get(id);
      if (definition === undefined) this.#find('no-definition', key, `no definition is for ${id}`);
      else if (kind !== definition.kind) this.#find('wrong-kind', key, `it is a ${kind}, not a ${definition.kind}`);
      else if (!definition.listed.includes(version))
        this.#find('version-not-listed', key, `its definition does not list ${version} among the stored versions`);
    }
  }

  /** Checks that services and claims refer to each other, and corrects them. */
  async claims(repairs: boolean): Promise<void> {
    const { etcd, prefix } = this.#data;
    const [addresses, ports] = [clusterIpClaims(prefix), nodePortClaims(prefix)];
    const claims = new Map<string, RawValue>();
    for (const under of [addresses, ports]) await etcd.each(under, (claim) => void claims.set(claim.key, claim));
    const held = new Set<string>();
    for (const { stored, service } of this.#services) {
      const { namespace = '', name = '', uid = '' } = service.metadata;
      const owner = { namespace, name, uid };
      const keys = [
        ...addressesOf(service).map((ip) => addresses + ip),
        ...nodePortsOf(service).map((port) => `${ports}${port}`),
      ];
      for (const key of keys) {
        const claim = claims.get(key);
        const holder = claim && claimOwner(claim.value);
        const wasHeld = held.has(key);
        held.add(key);
        if (sameOwner(holder, owner)) continue;
        if (wasHeld || (holder !== undefined && this.#holds(holder.namespace, holder.name, key))) {
          this.#find('claimed-twice', stored.key, `${key} is another service's`);
          continue;
        }
        const conditions = [{ key, revision: claim?.revision ?? 0 }, stored];
        const repaired = repairs && (await etcd.write(key, claimValue(owner), conditions));
        this.#find('service-without-claim', stored.key, `${key} is not claimed for it`, repaired);
      }
    }
    for (const { key, revision } of claims.values()) {
      if (held.has(key)) continue;
      // A service that could not be read may own it.
      const repaired = repairs && !this.#hidden && (await etcd.write(key, undefined, [{ key, revision }]));
      this.#find('claim-of-nobody', key, 'no service holds it', repaired);
    }
  }

  /** Checks the usage in quotas, and corrects it with `repairs`. */
  async quotas(repairs: boolean): Promise<void> {
    const custom = [...this.#definitions].flatMap(([id, { group, plural, namespaced }]) =>
      namespaced ? [{ id, group, plural }] : [],
    );
    for (const { key, what, repaired } of await miscountedQuotas(this.#data, custom, repairs))
      this.#find('quota-miscounted', key, what, repaired);
  }

  #holds(namespace: string, name: string, key: string): boolean {
    const { prefix } = this.#data;
    const found = this.#services.find(({ stored }) => stored.namespace === namespace && stored.name === name)?.service;
    if (found === undefined) return false;
    const rest = key.slice(key.lastIndexOf('/') + 1);
    return key.startsWith(clusterIpClaims(prefix))
      ? addressesOf(found).includes(rest)
      : nodePortsOf(found).map(String).includes(rest);
  }

  #identity(key: string, uid: string | undefined): void {
    if (typeof uid !== 'string' || uid === '') {
      this.#find('no-uid', key, 'it has no uid');
      return;
    }
    const other = this.#uids.get(uid);
    if (other === undefined) this.#uids.set(uid, key);
    else this.#find('same-uid', key, `it has the uid of ${other}`);
  }

  /** Whether an object has the kind of its place, and fits the schema of this kind. */
  #kind({ key, id }: StoredObject, object: JsonObject): void {
    const builtIn = this.#data.builtIn.get(id);
    const { kind, apiVersion, ...content } = object;
    if (builtIn === undefined) {
      const version = String(apiVersion).split('/').at(-1)!;
      this.#custom.push({ key, id, kind: String(kind), version });
      return;
    }
    const type = builtIn.versions.get(String(apiVersion));
    if (type === undefined || kind !== type.kind) {
      const expected = `a ${builtIn.type.kind} of ${builtIn.apiVersion}`;
      this.#find('wrong-kind', key, `it is a ${kind} of ${apiVersion}, not ${expected}`);
      return;
    }
    const unknown: string[] = [];
    try {
      decodeObject(type.message, content, { unknown: (path) => unknown.push(path) });
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      // The value itself is not shown, because it may be secret.
      this.#find('not-of-its-schema', key, id === 'core/secrets' ? 'a field has another type' : error.detail);
      return;
    }
    if (unknown.length > 0)
      this.#find('not-of-its-schema', key, `fields that its kind does not have: ${unknown.length}`);
  }

  #define(definition: JsonObject): void {
    const { spec, status } = definition as unknown as {
      spec?: { group?: string; scope?: string; names?: { plural?: string; kind?: string } };
      status?: { storedVersions?: string[] | null };
    };
    const { group = '', scope, names = {} } = spec ?? {};
    const { plural = '', kind = '' } = names;
    const id = `${this.#data.naming.shortForm(group)}/${plural}`;
    this.#definitions.set(id, {
      kind,
      group,
      plural,
      namespaced: scope === 'Namespaced',
      listed: status?.storedVersions ?? [],
    });
  }

  #find(damage: Damage, key: string, what: string, repaired = false): void {
    this.findings.push({ damage, key, what, repaired });
  }
}
