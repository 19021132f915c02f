import { errorCode, ProtocolError } from './frame.ts';

/**
 * The length of the code of each byte, in bits (RFC 7541, appendix B). The lengths determine the codes: codes of one
 * length are numbered in the order of their bytes, from short codes to long codes.
 */
// biome-ignore format: sixteen in a row
const LENGTHS = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
  28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
  5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
  7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
  6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
  24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
  21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
  26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
];

const LONGEST = 30;

/** The bytes that have a code of each length, in the order of their codes. */
const BYTES: readonly (readonly number[])[] = Array.from({ length: LONGEST + 1 }, (_, length) =>
  LENGTHS.flatMap((own, byte) => (own === length ? [byte] : [])),
);

/** The first code of each length. */
const FIRST: number[] = [0];
for (let length = 1; length <= LONGEST; length++) {
  FIRST.push((FIRST[length - 1]! + BYTES[length - 1]!.length) * 2);
}

/**
 * The text that these bytes stand for.
 *
 * @throws ProtocolError if the bytes are not a Huffman code
 */
export function huffmanText(bytes: Buffer): string {
  const text: number[] = [];
  let code = 0;
  let length = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1);
      length += 1;
      const found = code - FIRST[length]!;
      const same = BYTES[length]!;
      if (found < same.length) {
        text.push(same[found]!);
        code = 0;
        length = 0;
      } else if (length === LONGEST) {
        throw new ProtocolError(errorCode.compression, 'a text in Huffman code is not valid');
      }
    }
  }
  // The rest of the last byte is the beginning of the longest code, which is all ones.
  if (length > 7 || code !== 2 ** length - 1) {
    throw new ProtocolError(errorCode.compression, 'a text in Huffman code is not complete');
  }
  return Buffer.from(text).toString('latin1');
}
