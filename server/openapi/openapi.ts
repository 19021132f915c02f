import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import { TimeSlice } from '#base/time/time-slice.ts';
import { joinDocument } from './document-forms.ts';
import { describedEntries, entriesOf, skeletonV3 } from './document-parts.ts';
import type { ForeignDocument } from './foreign-document.ts';
import { KindParts } from './kind-parts.ts';
import { Lane } from './lane.ts';
import type { Definition, DocumentedKind, Section } from './model.ts';
import { Part } from './part.ts';
import { PublishedDocument } from './published-document.ts';
import { hashOf, SectionHashes } from './section-hash.ts';
import { WholeDocument } from './whole-document.ts';

/** The current documents of groups that other servers serve. */
export interface DocumentsElsewhere {
  /** The keys are those of the documents in v3. */
  readonly published: ReadonlyMap<string, PublishedDocument>;
  /** The documents for the single document of v2. The array stays the same until one of them changes. */
  readonly foreign: readonly ForeignDocument[];
}

const NOTHING: DocumentsElsewhere = { published: new Map(), foreign: [] };

/**
 * The published documents of all served groups. Their hashes are known before the documents are written. A document is
 * written at the first request, and again after one of its sections has changed. Between requests only compressed bytes
 * are kept. One piece of one document is written at a time, whatever the number of clients and of changes is.
 */
export class OpenApi {
  readonly #naming: Naming;
  readonly #release: Release;
  readonly #sections = new Map<string, Section>();
  readonly #documents = new Map<string, Promise<PublishedDocument>>();
  readonly #elsewhere: DocumentsElsewhere;
  readonly #lane = new Lane();
  readonly #slice = new TimeSlice();
  readonly #kinds: KindParts;
  readonly #hashes: SectionHashes;
  readonly #whole: WholeDocument;
  /** Definitions that custom kinds share, by their names. */
  readonly #shared = new Map<string, Part>();
  #v2: Promise<PublishedDocument> | undefined;
  /** The documents of other servers in the v2 document. */
  #foreign: readonly ForeignDocument[] = [];
  /** Settles when the last requested v2 document is known. */
  #underWay: Promise<unknown> | undefined;
  #next: Promise<PublishedDocument> | undefined;

  /** @param words a hash of the words that built-in definitions have in documents */
  constructor(
    naming: Naming,
    release: Release,
    words: string,
    sections: readonly Section[],
    elsewhere: DocumentsElsewhere = NOTHING,
  ) {
    this.#naming = naming;
    this.#release = release;
    this.#elsewhere = elsewhere;
    this.#kinds = new KindParts(naming, this.#lane, this.#slice);
    this.#hashes = new SectionHashes(naming, release, words, this.#slice);
    this.#whole = new WholeDocument(naming, release, this.#kinds, this.#lane, this.#slice);
    for (const section of sections) this.set(section);
  }

  /** Adds a section. It replaces a section with the same key. */
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

  /** Callers that ask while an earlier state is being written share the next result. */
  v2(): Promise<PublishedDocument> {
    const { foreign } = this.#elsewhere;
    if (this.#v2 !== undefined && this.#foreign === foreign) return this.#v2;
    if (this.#underWay !== undefined) {
      this.#next ??= this.#underWay.then(() => {
        this.#next = undefined;
        return this.v2();
      });
      return this.#next;
    }
    const made = this.#makeV2(foreign);
    this.#foreign = foreign;
    this.#v2 = made;
    const underWay = made
      .then(
        () => {},
        () => {
          if (this.#v2 === made) this.#v2 = undefined;
        },
      )
      .then(() => {
        this.#underWay = undefined;
      });
    this.#underWay = underWay;
    return made;
  }

  async #makeV2(foreign: readonly ForeignDocument[]): Promise<PublishedDocument> {
    const { hash, pack } = await this.#whole.of([...this.#sections.values()], foreign);
    return new PublishedDocument(hash, pack);
  }

  /** The v3 document of a section; undefined if there is no such section. */
  v3(key: string): Promise<PublishedDocument> | undefined {
    const elsewhere = this.#elsewhere.published.get(key);
    if (elsewhere !== undefined) return Promise.resolve(elsewhere);
    const section = this.#sections.get(key);
    if (section === undefined || section.onlyV2 === true) return undefined;
    let document = this.#documents.get(key);
    if (document === undefined) {
      const made = section.kinds === undefined ? this.#builtIn(section) : this.#custom(section.kinds);
      document = made;
      this.#documents.set(key, made);
      made.catch(() => {
        if (this.#documents.get(key) === made) this.#documents.delete(key);
      });
    }
    return document;
  }

  async #builtIn(section: Section): Promise<PublishedDocument> {
    const part = new Part((form) => entriesOf(form, this.#naming, section.paths()), this.#lane);
    return new PublishedDocument(await this.#hashes.of(section.paths()), async (encoding) =>
      joinDocument('v3', encoding, skeletonV3(this.#naming, this.#release), [await part.packed('v3', encoding)]),
    );
  }

  async #custom(kinds: readonly DocumentedKind[]): Promise<PublishedDocument> {
    const parts = await this.#kinds.of(kinds);
    const shared = this.#sharedPart(parts.flatMap((part) => part.shared));
    return new PublishedDocument(hashOf(parts.map(({ hash }) => hash)), async (encoding) => {
      const packed = [];
      for (const part of [shared, ...parts]) packed.push(await part.packed('v3', encoding));
      return joinDocument('v3', encoding, skeletonV3(this.#naming, this.#release, true), packed);
    });
  }

  #sharedPart(definitions: readonly Definition[]): Part {
    const all = [...new Map(definitions.map((one) => [one.name, one])).values()];
    const key = all.map(({ name }) => name).join();
    let part = this.#shared.get(key);
    if (part === undefined) {
      part = new Part((form) => ({ paths: [], definitions: describedEntries(form, all) }), this.#lane);
      this.#shared.set(key, part);
    }
    return part;
  }
}
