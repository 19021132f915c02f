import type { Naming } from '#base/naming/naming.ts';
import type { TimeSlice } from '#base/time/time-slice.ts';
import type { Lane } from './lane.ts';
import type { DocumentedKind } from './model.ts';
import { KindPart } from './part.ts';

/** The document parts of custom kinds. A kind whose documentation has not changed keeps its part. */
export class KindParts {
  readonly #naming: Naming;
  readonly #lane: Lane;
  readonly #slice: TimeSlice;
  readonly #byKind = new WeakMap<DocumentedKind, KindPart>();
  #byHash = new Map<string, KindPart>();

  constructor(naming: Naming, lane: Lane, slice: TimeSlice) {
    this.#naming = naming;
    this.#lane = lane;
    this.#slice = slice;
  }

  /** The parts of some kinds, in their order. Other requests can run while the hashes are computed. */
  async of(kinds: readonly DocumentedKind[]): Promise<KindPart[]> {
    const parts: KindPart[] = [];
    for (const kind of kinds) {
      let part = this.#byKind.get(kind);
      if (part === undefined) {
        part = this.#make(kind, await kind.hash());
        if (this.#slice.over) await this.#slice.yield();
      }
      parts.push(part);
    }
    return parts;
  }

  #make(kind: DocumentedKind, hash: string): KindPart {
    const part = this.#byHash.get(hash) ?? new KindPart(kind, hash, this.#naming, this.#lane);
    this.#byHash.set(hash, part);
    this.#byKind.set(kind, part);
    return part;
  }

  /** Removes all parts except those of these kinds. */
  keepOnly(parts: readonly KindPart[]): void {
    if (parts.length < this.#byHash.size) this.#byHash = new Map(parts.map((part) => [part.hash, part]));
  }
}
