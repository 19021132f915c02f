import { createHash } from 'node:crypto';
import { stringify } from '#base/json/stringify.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import type { TimeSlice } from '#base/time/time-slice.ts';
import { definitionEntries, pathEntries, skeletonV3 } from './document-parts.ts';
import { type Definition, type Paths, reachable } from './model.ts';

/** A hash of some texts, in upper-case hex. */
export function hashOf(texts: Iterable<string>): string {
  const hash = createHash('sha512');
  for (const text of texts) hash.update(`${text.length} `).update(text);
  return hash.digest('hex').toUpperCase();
}

/**
 * Computes hashes of OpenAPI 3.0 documents without writing the documents. Definitions occur in many documents, and each
 * is hashed once.
 */
export class SectionHashes {
  readonly #naming: Naming;
  readonly #release: Release;
  readonly #words: string;
  readonly #slice: TimeSlice;
  readonly #definitions = new WeakMap<Definition, string>();

  /** @param words a hash of the words in documents; the words themselves are not read */
  constructor(naming: Naming, release: Release, words: string, slice: TimeSlice) {
    this.#naming = naming;
    this.#release = release;
    this.#words = words;
    this.#slice = slice;
  }

  /** The hash of the document of some paths. Other requests can run in between. */
  async of(paths: Paths): Promise<string> {
    const texts = [stringify(skeletonV3(this.#naming, this.#release)), this.#words];
    for (const [path, make] of pathEntries('v3', this.#naming, paths)) {
      texts.push(path, hashOf([stringify(await make())]));
      if (this.#slice.over) await this.#slice.yield();
    }
    for (const definition of reachable(paths.values())) {
      let hash = this.#definitions.get(definition);
      if (hash === undefined) {
        const [entry] = definitionEntries('v3', [definition]);
        hash = hashOf([stringify(await entry![1]())]);
        this.#definitions.set(definition, hash);
        if (this.#slice.over) await this.#slice.yield();
      }
      texts.push(definition.name, hash);
    }
    return hashOf(texts);
  }
}
