import type { Naming } from '../naming/naming.ts';
import { type DocumentParts, entriesOf, frameV2 } from './document-parts.ts';
import type { ForeignDocument, TakenNames } from './foreign-document.ts';
import { joinPacked, plainLength } from './join-packed.ts';
import { jsonEntries, jsonMembers } from './json-document.ts';
import type { PathItem, Section } from './model.ts';
import { type Packed, pack } from './pack.ts';
import { swaggerDefinitions, swaggerMapHead, swaggerMembersOf, swaggerPaths } from './protobuf-document.ts';

type Maps = Pick<DocumentParts, 'paths' | 'definitions'>;

/** The entries of both maps that come from one part of the API, packed. */
interface PackedMaps {
  readonly paths: Packed;
  readonly definitions: Packed;
}

/** What one form does: how entries of the maps are written, and what is put around them. */
interface Writing {
  pack(maps: Maps): Promise<PackedMaps>;
  join(naming: Naming, parts: readonly PackedMaps[]): Promise<Packed>;
}

type FormName = 'json' | 'protobuf';

const present = (packed: Packed): boolean => plainLength(packed) > 0;

const json: Writing = {
  pack: async ({ paths, definitions }) => ({
    paths: await pack(jsonEntries(paths)),
    definitions: await pack(jsonEntries(definitions)),
  }),
  async join(naming, parts) {
    const { head, tail } = frameV2(naming);
    const comma = await pack([',']);
    const listed = (maps: readonly Packed[]) =>
      maps.filter(present).flatMap((map, i) => (i === 0 ? [map] : [comma, map]));
    return joinPacked([
      await pack([`{${jsonMembers(head)},"paths":{`]),
      ...listed(parts.map(({ paths }) => paths)),
      await pack(['},"definitions":{']),
      ...listed(parts.map(({ definitions }) => definitions)),
      await pack([`},${jsonMembers(tail)}}`]),
    ]);
  },
};

const protobuf: Writing = {
  pack: async ({ paths, definitions }) => ({
    paths: await pack(await swaggerPaths(paths)),
    definitions: await pack(await swaggerDefinitions(definitions)),
  }),
  async join(naming, parts) {
    const { head, tail } = frameV2(naming);
    const map = async (name: keyof PackedMaps) => {
      const maps = parts.map((part) => part[name]);
      const length = maps.reduce((sum, one) => sum + plainLength(one), 0);
      return [await pack([swaggerMapHead(name, length)]), ...maps];
    };
    return joinPacked([
      await pack([swaggerMembersOf(head)]),
      ...(await map('paths')),
      ...(await map('definitions')),
      await pack([swaggerMembersOf(tail)]),
    ]);
  },
};

const FORMS: Readonly<Record<FormName, Writing>> = { json, protobuf };

/** Sections of the API, and what has been packed of them. */
interface Part {
  readonly maps: () => Maps | Promise<Maps>;
  readonly packed: Map<FormName, Promise<PackedMaps>>;
  /** Of its definitions; known once it has been packed. */
  names: readonly string[] | undefined;
}

/**
 * The one document of OpenAPI 2.0. Built-in kinds are one part of it, each version that users define is another; a part is
 * written and compressed once, and the document is joined from what is compressed. So a change costs what has changed.
 */
export class WholeDocument {
  readonly #naming: Naming;
  /** What sections that users define are made into. */
  readonly #custom = new Map<string, { readonly section: Section; readonly part: Part }>();
  #builtIn:
    | { readonly sections: readonly Section[]; readonly names: ReadonlySet<string>; readonly part: Part }
    | undefined;
  /** What other servers have told, with the names in it that custom kinds have taken. */
  #foreign:
    | { readonly documents: readonly ForeignDocument[]; readonly clashes: string; readonly part: Part }
    | undefined;

  constructor(naming: Naming) {
    this.#naming = naming;
  }

  /**
   * The document of some sections, and of what other servers say of themselves, in a form; made of what is known of them
   * already. What others say is left out where it cannot be written.
   */
  async pack(sections: readonly Section[], foreign: readonly ForeignDocument[], form: FormName): Promise<Packed> {
    const parts: PackedMaps[] = [];
    for (const part of this.#partsOf(sections)) parts.push(await this.#packPart(part, form));
    if (foreign.length > 0) {
      const packed = await this.#packPart(this.#foreignPart(sections, foreign), form).catch(() => undefined);
      if (packed !== undefined) parts.push(packed);
    } else this.#foreign = undefined;
    return FORMS[form].join(this.#naming, parts);
  }

  #packPart(part: Part, form: FormName): Promise<PackedMaps> {
    let packed = part.packed.get(form);
    if (packed === undefined) {
      packed = (async () => {
        const maps = await part.maps();
        part.names ??= maps.definitions.map(([name]) => name);
        return FORMS[form].pack(maps);
      })();
      part.packed.set(form, packed);
      packed.catch(() => part.packed.delete(form));
    }
    return packed;
  }

  /** What other servers say is one part: which names it gives depends on all of them. */
  #foreignPart(sections: readonly Section[], documents: readonly ForeignDocument[]): Part {
    const custom = new Set([...this.#custom.values()].flatMap(({ part }) => part.names ?? []));
    const clashes = documents.flatMap(({ names }) => names.filter((name) => custom.has(name))).join();
    if (this.#foreign?.documents === documents && this.#foreign.clashes === clashes) return this.#foreign.part;
    const maps = async (): Promise<Maps> => {
      const { definitions } = entriesOf('v2', this.#naming, pathsOf(sections.filter(isBuiltIn)));
      const taken: TakenNames = new Map(definitions);
      for (const name of custom) taken.set(name, undefined);
      const all: Maps[] = [];
      const sorted = [...documents].sort((a, b) => (a.key < b.key ? -1 : 1));
      for (const document of sorted) all.push(await document.maps(taken));
      return {
        paths: all.flatMap(({ paths }) => paths),
        definitions: all.flatMap(({ definitions: own }) => own),
      };
    };
    this.#foreign = { documents, clashes, part: { maps, packed: new Map(), names: undefined } };
    return this.#foreign.part;
  }

  /** Parts of custom kinds are in the order of their keys, so that all replicas have the same. */
  #partsOf(sections: readonly Section[]): Part[] {
    const { part, names } = this.#builtInPart(sections.filter(isBuiltIn));
    const custom = sections.filter(({ custom }) => custom === true).sort((a, b) => (a.key < b.key ? -1 : 1));
    const gone = new Set(this.#custom.keys());
    const parts = [part];
    for (const section of custom) {
      gone.delete(section.key);
      let known = this.#custom.get(section.key);
      if (known?.section !== section) {
        const maps = () => entriesOf('v2', this.#naming, section.paths(), names);
        known = { section, part: { maps, packed: new Map(), names: undefined } };
        this.#custom.set(section.key, known);
      }
      parts.push(known.part);
    }
    for (const key of gone) this.#custom.delete(key);
    return parts;
  }

  #builtInPart(sections: readonly Section[]): { readonly part: Part; readonly names: ReadonlySet<string> } {
    const before = this.#builtIn;
    if (before?.sections.length === sections.length && sections.every((one, i) => one === before.sections[i]))
      return before;
    const maps = () => entriesOf('v2', this.#naming, pathsOf(sections));
    const names = new Set(maps().definitions.map(([name]) => name));
    // others leave out what this part has
    this.#custom.clear();
    this.#foreign = undefined;
    this.#builtIn = { sections, names, part: { maps, packed: new Map(), names: undefined } };
    return this.#builtIn;
  }
}

function isBuiltIn({ custom }: Section): boolean {
  return custom !== true;
}

function pathsOf(sections: readonly Section[]): Map<string, PathItem> {
  return new Map(sections.flatMap((section) => [...section.paths()]));
}
