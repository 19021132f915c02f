/** Bytes of a list as they are made, with their media type. */
export interface EncodedList {
  readonly contentType: string;
  readonly chunks: AsyncIterable<Buffer>;
  /** How many there will be, where that is known before: bytes that need no frame go out without being copied. */
  readonly length?: number;
}
