import type { Naming } from '../naming/naming.ts';
import { type DocumentParts, partsV2, partsV3 } from './document-parts.ts';
import { jsonPieces } from './json-document.ts';
import type { PathItem, Section } from './model.ts';
import { type Packed, pack } from './pack.ts';
import { protobufPieces } from './protobuf-document.ts';

/** A published document: the same hash in both of its forms. */
export class PublishedDocument {
  readonly json: Packed;
  /** Milliseconds since the epoch. */
  readonly lastModified = Date.now();
  readonly #parts: () => DocumentParts;
  #protobuf: Promise<Packed> | undefined;

  private constructor(json: Packed, parts: () => DocumentParts) {
    this.json = json;
    this.#parts = parts;
  }

  static async make(parts: () => DocumentParts): Promise<PublishedDocument> {
    return new PublishedDocument(await pack(jsonPieces(parts())), parts);
  }

  get hash(): string {
    return this.json.hash;
  }

  /** Made when first asked for: most clients want JSON. */
  get protobuf(): Promise<Packed> {
    this.#protobuf ??= pack(protobufPieces(this.#parts()));
    return this.#protobuf;
  }
}

/**
 * The published documents of everything that is served. They are made when first asked for, and again after a section
 * has changed; between requests only compressed bytes are kept.
 */
export class OpenApi {
  readonly #naming: Naming;
  readonly #sections = new Map<string, Section>();
  readonly #documents = new Map<string, Promise<PublishedDocument>>();
  #v2: Promise<PublishedDocument> | undefined;

  constructor(naming: Naming, sections: readonly Section[]) {
    this.#naming = naming;
    for (const section of sections) this.set(section);
  }

  /** Adds a section, or puts it in the place of the one with the same key. */
  set(section: Section): void {
    this.#sections.set(section.key, section);
    this.#changed(section.key);
  }

  delete(key: string): void {
    this.#sections.delete(key);
    this.#changed(key);
  }

  #changed(key: string): void {
    this.#documents.delete(key);
    this.#v2 = undefined;
  }

  /** Keys of the v3 documents, sorted. */
  get keys(): string[] {
    const published = [...this.#sections.values()].filter((section) => section.onlyV2 !== true);
    return published.map(({ key }) => key).sort();
  }

  v2(): Promise<PublishedDocument> {
    if (this.#v2 === undefined) {
      const sections = [...this.#sections.values()];
      this.#v2 = PublishedDocument.make(() => partsV2(this.#naming, pathsOf(sections)));
    }
    return this.#v2;
  }

  /** The v3 document of a section; undefined when there is no such section. */
  v3(key: string): Promise<PublishedDocument> | undefined {
    const section = this.#sections.get(key);
    if (section === undefined || section.onlyV2 === true) return undefined;
    let document = this.#documents.get(key);
    if (document === undefined) {
      document = PublishedDocument.make(() => partsV3(this.#naming, section.paths(), section.custom));
      this.#documents.set(key, document);
    }
    return document;
  }
}

function pathsOf(sections: readonly Section[]): Map<string, PathItem> {
  return new Map(sections.flatMap((section) => [...section.paths()]));
}
