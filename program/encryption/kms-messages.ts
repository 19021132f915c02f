import protobuf from 'protobufjs/minimal.js';

/** Additional names and bytes that a plug-in gives and stored values keep. */
export type Annotations = ReadonlyMap<string, Buffer>;

/**
 * The value of a field of a message. Texts and bytes look the same on the wire, and so do maps and lists of messages.
 */
type Field = string | Uint8Array | Annotations | undefined;

/** A message whose fields are texts, bytes and maps of bytes, by field number. */
export function encodeFields(fields: Readonly<Record<number, Field>>): Buffer {
  const writer = protobuf.Writer.create();
  for (const [number, value] of Object.entries(fields)) {
    const tag = (Number(number) << 3) | 2;
    if (value === undefined || (!(value instanceof Map) && (value as string | Uint8Array).length === 0)) continue;
    if (typeof value === 'string') writer.uint32(tag).string(value);
    else if (value instanceof Uint8Array) writer.uint32(tag).bytes(value);
    else {
      for (const [key, bytes] of value as Annotations) {
        writer.uint32(tag).fork();
        writer.uint32((1 << 3) | 2).string(key);
        writer.uint32((2 << 3) | 2).bytes(bytes);
        writer.ldelim();
      }
    }
  }
  return Buffer.from(writer.finish());
}

/** The fields of such a message. */
export class Fields {
  readonly #fields = new Map<number, Buffer[]>();

  /**
   * @throws Error if the bytes are not such a message
   */
  constructor(message: Uint8Array) {
    const reader = protobuf.Reader.create(message);
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if ((tag & 7) !== 2) {
        reader.skipType(tag & 7);
        continue;
      }
      const found = this.#fields.get(tag >>> 3) ?? [];
      found.push(Buffer.from(reader.bytes()));
      this.#fields.set(tag >>> 3, found);
    }
  }

  bytes(number: number): Buffer {
    return this.#fields.get(number)?.at(-1) ?? Buffer.alloc(0);
  }

  text(number: number): string {
    return this.bytes(number).toString();
  }

  annotations(number: number): Annotations {
    const entries = (this.#fields.get(number) ?? []).map((entry) => new Fields(entry));
    return new Map(entries.map((entry) => [entry.text(1), entry.bytes(2)]));
  }
}
