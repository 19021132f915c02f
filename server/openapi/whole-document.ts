import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import type { TimeSlice } from '#base/time/time-slice.ts';
import { type Encoding, joinDocument } from './document-forms.ts';
import { describedEntries, type Entry, entriesOf, type Maps, skeletonV2 } from './document-parts.ts';
import type { ForeignDocument, UsedNames } from './foreign-document.ts';
import type { KindParts } from './kind-parts.ts';
import type { Lane } from './lane.ts';
import type { DocumentedKind, PathItem, Paths, Section } from './model.ts';
import { type Packed, packedHash } from './pack.ts';
import { type KindPart, Part } from './part.ts';
import { hashOf } from './section-hash.ts';

/** The part of the OpenAPI 2.0 document with the built-in kinds. */
interface BuiltIn {
  readonly sections: readonly Section[];
  readonly names: ReadonlySet<string>;
  readonly part: Part;
  readonly hash: string;
}

interface Foreign {
  readonly documents: readonly ForeignDocument[];
  /** Names that both custom kinds and built-in kinds have. */
  readonly clashes: string;
  readonly part: Part;
}

/**
 * The single document of OpenAPI 2.0. The built-in kinds are one part, and each custom kind is another part. Each part
 * is written and compressed once, and the document is joined from the compressed parts. So the cost of a change depends
 * only on its size.
 */
export class WholeDocument {
  readonly #naming: Naming;
  readonly #release: Release;
  readonly #lane: Lane;
  readonly #slice: TimeSlice;
  readonly #kinds: KindParts;
  #builtIn: Promise<BuiltIn> | undefined;
  #builtInSections: readonly Section[] = [];
  #foreign: Foreign | undefined;

  constructor(naming: Naming, release: Release, kinds: KindParts, lane: Lane, slice: TimeSlice) {
    this.#naming = naming;
    this.#release = release;
    this.#kinds = kinds;
    this.#lane = lane;
    this.#slice = slice;
  }

  /**
   * The document of some sections and of the documents of extension servers. It has a hash, for which only built-in
   * kinds are written, and a function that writes it. A document of an extension server that cannot be written is left
   * out.
   */
  async of(
    sections: readonly Section[],
    documents: readonly ForeignDocument[],
  ): Promise<{ readonly hash: string; readonly pack: (encoding: Encoding) => Promise<Packed> }> {
    const builtIn = await this.#builtInPart(sections.filter(({ kinds }) => kinds === undefined));
    const kinds = await this.#kinds.of(kindsOf(sections));
    this.#kinds.keepOnly(kinds);
    const beyond = this.#beyond(kinds, builtIn.names);
    const foreign = this.#foreignPart(builtIn, kinds, documents);
    const hash = hashOf([
      builtIn.hash,
      ...kinds.map((kind) => kind.hash),
      ...documents.flatMap(({ key, hash }) => [key, hash]),
    ]);
    const pack = async (encoding: Encoding): Promise<Packed> => {
      const parts = [await builtIn.part.packed('v2', encoding)];
      for (const part of beyond === undefined ? kinds : [beyond, ...kinds])
        parts.push(await part.packed('v2', encoding));
      const others = await foreign?.packed('v2', encoding).catch(() => undefined);
      if (others !== undefined) parts.push(others);
      return joinDocument('v2', encoding, skeletonV2(this.#naming, this.#release), parts);
    };
    return { hash, pack };
  }

  /** Definitions that custom kinds use and the enabled built-in kinds do not. */
  #beyond(kinds: readonly KindPart[], names: ReadonlySet<string>): Part | undefined {
    const more = new Map(kinds.flatMap(({ shared }) => shared.map((one) => [one.name, one] as const)));
    const left = [...more.values()].filter(({ name }) => !names.has(name));
    if (left.length === 0) return undefined;
    return new Part((form) => ({ paths: [], definitions: describedEntries(form, left) }), this.#lane);
  }

  /** The documents of other servers are one part, because the chosen names depend on all of them. */
  #foreignPart(builtIn: BuiltIn, kinds: readonly KindPart[], documents: readonly ForeignDocument[]): Part | undefined {
    if (documents.length === 0) {
      this.#foreign = undefined;
      return undefined;
    }
    const custom = new Set(kinds.flatMap(({ names }) => names));
    const clashes = documents.flatMap(({ names }) => names.filter((name) => custom.has(name))).join();
    if (this.#foreign?.documents === documents && this.#foreign.clashes === clashes) return this.#foreign.part;
    const maps = async (): Promise<Maps> => {
      const { definitions } = entriesOf('v2', this.#naming, await this.#pathsOf(builtIn.sections));
      const used: UsedNames = new Map(definitions);
      for (const name of custom) used.set(name, undefined);
      const all: Maps[] = [];
      const sorted = [...documents].sort((a, b) => (a.key < b.key ? -1 : 1));
      for (const document of sorted) all.push(await document.maps(used));
      const joined = (of: (maps: Maps) => readonly Entry[]) => all.flatMap(of);
      return { paths: joined(({ paths }) => paths), definitions: joined(({ definitions: own }) => own) };
    };
    this.#foreign = { documents, clashes, part: new Part(maps, this.#lane) };
    return this.#foreign.part;
  }

  #builtInPart(sections: readonly Section[]): Promise<BuiltIn> {
    const before = this.#builtInSections;
    const same = before.length === sections.length && sections.every((one, i) => one === before[i]);
    if (this.#builtIn !== undefined && same) return this.#builtIn;
    const made = this.#makeBuiltIn(sections);
    // The part with the groups of other servers leaves out what this part contains, so it must be made again.
    this.#foreign = undefined;
    this.#builtInSections = sections;
    this.#builtIn = made;
    made.catch(() => {
      if (this.#builtIn === made) this.#builtIn = undefined;
    });
    return made;
  }

  async #makeBuiltIn(sections: readonly Section[]): Promise<BuiltIn> {
    const paths = await this.#pathsOf(sections);
    const names = new Set(entriesOf('v2', this.#naming, paths).definitions.map(([name]) => name));
    const part = new Part(
      (form) => this.#pathsOf(sections).then((all) => entriesOf(form, this.#naming, all)),
      this.#lane,
    );
    const packed = await part.packed('v2', 'json');
    return { sections, names, part, hash: hashOf([packedHash(packed.paths), packedHash(packed.definitions)]) };
  }

  async #pathsOf(sections: readonly Section[]): Promise<Paths> {
    const all = new Map<string, PathItem>();
    for (const section of sections) {
      for (const [path, item] of section.paths()) all.set(path, item);
      if (this.#slice.over) await this.#slice.yield();
    }
    return all;
  }
}

/** The kinds, in the order of the keys of their sections, so that all replicas have the same document. */
function kindsOf(sections: readonly Section[]): DocumentedKind[] {
  const custom = sections.filter(({ kinds }) => kinds !== undefined).sort((a, b) => (a.key < b.key ? -1 : 1));
  return custom.flatMap(({ kinds }) => kinds ?? []);
}
