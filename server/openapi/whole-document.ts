import type { Naming } from '../naming/naming.ts';
import { type DocumentParts, entriesOf, frameV2 } from './document-parts.ts';
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
  readonly maps: () => Maps;
  readonly packed: Map<FormName, Promise<PackedMaps>>;
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

  constructor(naming: Naming) {
    this.#naming = naming;
  }

  /** The document of some sections, in a form; made of what is known of them already. */
  async pack(sections: readonly Section[], form: FormName): Promise<Packed> {
    const writing = FORMS[form];
    const parts: PackedMaps[] = [];
    for (const part of this.#partsOf(sections)) {
      let packed = part.packed.get(form);
      if (packed === undefined) {
        packed = writing.pack(part.maps());
        part.packed.set(form, packed);
        packed.catch(() => part.packed.delete(form));
      }
      parts.push(await packed);
    }
    return writing.join(this.#naming, parts);
  }

  /** Parts of custom kinds are in the order of their keys, so that all replicas have the same. */
  #partsOf(sections: readonly Section[]): Part[] {
    const { part, names } = this.#builtInPart(sections.filter(({ custom }) => custom !== true));
    const custom = sections.filter(({ custom }) => custom === true).sort((a, b) => (a.key < b.key ? -1 : 1));
    const gone = new Set(this.#custom.keys());
    const parts = [part];
    for (const section of custom) {
      gone.delete(section.key);
      let known = this.#custom.get(section.key);
      if (known?.section !== section) {
        const maps = () => entriesOf('v2', this.#naming, section.paths(), names);
        known = { section, part: { maps, packed: new Map() } };
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
    this.#builtIn = { sections, names, part: { maps, packed: new Map() } };
    return this.#builtIn;
  }
}

function pathsOf(sections: readonly Section[]): Map<string, PathItem> {
  return new Map(sections.flatMap((section) => [...section.paths()]));
}
