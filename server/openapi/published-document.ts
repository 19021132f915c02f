import type { Encoding } from './document-forms.ts';
import type { Packed } from './pack.ts';

/** A published document in two forms with the same hash. Each form is written at the first request for it. */
export class PublishedDocument {
  /** The hash in upper-case hexadecimal. It is known before the document is written. */
  readonly hash: string;
  /** Whether the protobuf form exists. */
  readonly hasProtobuf: boolean;
  /** The time in milliseconds since the epoch. */
  readonly lastModified = Date.now();
  readonly #make: (encoding: Encoding) => Promise<Packed>;
  readonly #made = new Map<Encoding, Promise<Packed>>();

  constructor(hash: string, make: (encoding: Encoding) => Promise<Packed>, hasProtobuf = true) {
    this.hash = hash;
    this.hasProtobuf = hasProtobuf;
    this.#make = make;
  }

  /** A document that another server made. It keeps its hash. */
  static of(hash: string, json: Packed, protobuf: Packed | undefined): PublishedDocument {
    return new PublishedDocument(
      hash,
      async (encoding) => {
        if (encoding === 'json') return json;
        if (protobuf === undefined) throw new Error('a document has no protobuf form');
        return protobuf;
      },
      protobuf !== undefined,
    );
  }

  /** The whole document. Rejects if it cannot be written. */
  packed(encoding: Encoding): Promise<Packed> {
    let made = this.#made.get(encoding);
    if (made === undefined) {
      made = this.#make(encoding);
      this.#made.set(encoding, made);
      made.catch(() => this.#made.delete(encoding));
    }
    return made;
  }
}
