import type { Naming } from '../naming/naming.ts';
import { type DocumentParts, partsV3 } from './document-parts.ts';
import type { ForeignDocument } from './foreign-document.ts';
import { jsonPieces } from './json-document.ts';
import type { Section } from './model.ts';
import { type Packed, pack } from './pack.ts';
import { protobufPieces } from './protobuf-document.ts';
import { WholeDocument } from './whole-document.ts';

/** A published document: the same hash in both of its forms. */
export class PublishedDocument {
  readonly json: Packed;
  /** Milliseconds since the epoch. */
  readonly lastModified = Date.now();
  /** Undefined: there is no such form. */
  readonly #makeProtobuf: (() => Promise<Packed>) | undefined;
  #protobuf: Promise<Packed> | undefined;

  private constructor(json: Packed, makeProtobuf: (() => Promise<Packed>) | undefined) {
    this.json = json;
    this.#makeProtobuf = makeProtobuf;
  }

  static async make(parts: () => DocumentParts): Promise<PublishedDocument> {
    return new PublishedDocument(await pack(jsonPieces(parts())), () => pack(protobufPieces(parts())));
  }

  /** The document of all sections. */
  static async ofAll(
    whole: WholeDocument,
    sections: readonly Section[],
    foreign: readonly ForeignDocument[],
  ): Promise<PublishedDocument> {
    return new PublishedDocument(await whole.pack(sections, foreign, 'json'), () =>
      whole.pack(sections, foreign, 'protobuf'),
    );
  }

  /** A document that another server made, under the hash that it has there. */
  static of(json: Packed, protobuf: Packed | undefined): PublishedDocument {
    return new PublishedDocument(json, protobuf && (async () => protobuf));
  }

  get hasProtobuf(): boolean {
    return this.#makeProtobuf !== undefined;
  }

  get hash(): string {
    return this.json.hash;
  }

  /** Made when first asked for: most clients want JSON. Rejects where there is no such form. */
  get protobuf(): Promise<Packed> {
    this.#protobuf ??= this.#makeProtobuf?.() ?? Promise.reject(new Error('a document has no protobuf form'));
    return this.#protobuf;
  }
}

/** Documents of groups that other servers serve, as they are now. */
export interface DocumentsElsewhere {
  /** By their keys in v3. */
  readonly published: ReadonlyMap<string, PublishedDocument>;
  /** What goes into the one document of v2; the same list until something in it changes. */
  readonly foreign: readonly ForeignDocument[];
}

const NOTHING: DocumentsElsewhere = { published: new Map(), foreign: [] };

/**
 * The published documents of everything that is served. They are made when first asked for, and again after a section
 * has changed; between requests only compressed bytes are kept.
 */
export class OpenApi {
  readonly #naming: Naming;
  readonly #sections = new Map<string, Section>();
  readonly #documents = new Map<string, Promise<PublishedDocument>>();
  readonly #elsewhere: DocumentsElsewhere;
  readonly #whole: WholeDocument;
  #v2: Promise<PublishedDocument> | undefined;
  /** What the document of v2 has of other servers. */
  #foreign: readonly ForeignDocument[] = [];

  constructor(naming: Naming, sections: readonly Section[], elsewhere: DocumentsElsewhere = NOTHING) {
    this.#naming = naming;
    this.#elsewhere = elsewhere;
    this.#whole = new WholeDocument(naming);
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
    return [...new Set([...published.map(({ key }) => key), ...this.#elsewhere.published.keys()])].sort();
  }

  v2(): Promise<PublishedDocument> {
    const { foreign } = this.#elsewhere;
    if (this.#v2 === undefined || this.#foreign !== foreign) {
      const made = PublishedDocument.ofAll(this.#whole, [...this.#sections.values()], foreign);
      this.#foreign = foreign;
      this.#v2 = made;
      made.catch(() => {
        if (this.#v2 === made) this.#v2 = undefined;
      });
    }
    return this.#v2;
  }

  /** The v3 document of a section; undefined when there is no such section. */
  v3(key: string): Promise<PublishedDocument> | undefined {
    const elsewhere = this.#elsewhere.published.get(key);
    if (elsewhere !== undefined) return Promise.resolve(elsewhere);
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
