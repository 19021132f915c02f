import type { Naming } from '#base/naming/naming.ts';
import { type Encoding, type PackedMaps, packMaps } from './document-forms.ts';
import { describedEntries, type Maps, pathEntries } from './document-parts.ts';
import type { Lane } from './lane.ts';
import { type Definition, type DocumentedKind, type Form, reachable } from './model.ts';

/** A part of documents. It is serialized once, for all clients and all documents. */
export class Part {
  readonly #maps: (form: Form) => Maps | Promise<Maps>;
  readonly #lane: Lane;
  readonly #packed = new Map<string, Promise<PackedMaps>>();

  constructor(maps: (form: Form) => Maps | Promise<Maps>, lane: Lane) {
    this.#maps = maps;
    this.#lane = lane;
  }

  /** Its entries in a form of documents. They are made at their first use. Rejects if they cannot be written. */
  packed(form: Form, encoding: Encoding): Promise<PackedMaps> {
    const key = `${form} ${encoding}`;
    let packed = this.#packed.get(key);
    if (packed === undefined) {
      packed = this.#lane.run(async () => packMaps(form, encoding, await this.#maps(form)));
      this.#packed.set(key, packed);
      packed.catch(() => this.#packed.delete(key));
    }
    return packed;
  }
}

/** A user-defined kind, in the form of documents. */
export class KindPart extends Part {
  readonly hash: string;
  /** The names of its own definitions. */
  readonly names: readonly string[];
  /** Definitions of built-in messages to which it refers. */
  readonly shared: readonly Definition[];

  constructor(kind: DocumentedKind, hash: string, naming: Naming, lane: Lane) {
    const needed = reachable(kind.paths().values());
    const own = needed.filter(({ custom }) => custom === true);
    super(
      (form) => ({
        paths: pathEntries(form, naming, kind.paths()),
        definitions: describedEntries(form, own),
      }),
      lane,
    );
    this.hash = hash;
    this.names = own.map(({ name }) => name);
    this.shared = needed.filter(({ custom }) => custom !== true);
  }
}
