import type { Client } from '#client/client.ts';
import { type Families, readFamilies, type TypedMetadata } from '#client/owned-objects.ts';
import type { MetadataObject } from '#client/resource-client.ts';
import type { ObjectRequest, Relations, Relative } from '../protocol/object-messages.ts';
import { idOf, type Kinds } from './catalog.ts';

/** The most objects that are searched, and the most objects that are shown. */
const MOST_LOOKED = 100_000;
const MOST_SHOWN = 1_000;

/** The time limit, in milliseconds. */
const MOST_MS = 20_000;

/** How long a result is reused, in milliseconds, because several pages and tabs ask the same question. */
const KNOWN_MS = 2_000;

/** Finds the owners of an object and the objects that it owns, among all objects that the user may list. */
export class RelationReader {
  readonly #client: Client;
  readonly #kinds: Kinds;
  /** The latest result, with its namespace. */
  #latest: { readonly namespace: string | undefined; readonly look: Promise<Families> } | undefined;

  constructor(client: Client, kinds: Kinds) {
    this.#client = client;
    this.#kinds = kinds;
  }

  /** @throws ApiError if the server does not return the object */
  async of(request: ObjectRequest): Promise<Relations> {
    const type = await this.#kinds.type(request.kind);
    const namespace = type.namespaced ? request.namespace : undefined;
    const object = await this.#client.resource(type).in(namespace).metadataOnly().get(request.name);
    const families = await this.#families(namespace);
    return relationsOf(families, { type, object });
  }

  async #families(namespace: string | undefined): Promise<Families> {
    const known = this.#latest;
    if (known !== undefined && known.namespace === namespace) return known.look;
    // An object in a namespace owns only objects in that namespace.
    const types = (await this.#kinds.listable()).filter((type) => namespace === undefined || type.namespaced);
    const signal = AbortSignal.timeout(MOST_MS);
    const look = readFamilies(this.#client, { types, namespace, most: MOST_LOOKED, signal });
    this.#latest = { namespace, look };
    const forget = (): void => {
      if (this.#latest?.look === look) this.#latest = undefined;
    };
    look.then(() => setTimeout(forget, KNOWN_MS).unref(), forget);
    return look;
  }
}

/** The tree around an object. */
export function relationsOf(families: Families, self: TypedMetadata): Relations {
  const seen = new Set<string>();
  let isCut = families.isCut;
  const relative = ({ type, object: { metadata } }: TypedMetadata, owned: readonly Relative[]): Relative => ({
    id: idOf(type),
    kind: type.kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    isGoing: Boolean(metadata.deletionTimestamp),
    owned,
  });
  const below = ({ metadata: { uid = '' } }: MetadataObject): readonly Relative[] => {
    seen.add(uid);
    const owned: Relative[] = [];
    for (const each of families.ownedBy(uid)) {
      if (seen.has(each.object.metadata.uid ?? '')) continue;
      if (seen.size >= MOST_SHOWN) {
        isCut = true;
        break;
      }
      owned.push(relative(each, below(each.object)));
    }
    return owned;
  };
  const tree = relative(self, below(self.object));
  const owners = families.ownersOf(self.object).map((owner) => relative(owner, []));
  return { owners, self: tree, unread: [...families.unread.keys()].sort(), isCut };
}
