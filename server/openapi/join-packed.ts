import { END, HEADER, header, TRAILER, trailer } from './gzip-parts.ts';
import type { Packed } from './pack.ts';

/** The number of plain bytes in a packed body. */
export function plainLength({ gzip }: Packed): number {
  return gzip.readUInt32LE(gzip.length - 4);
}

/** Joins several packed bodies into one, without unpacking any of them. They must come from `pack`. */
export function joinPacked(parts: readonly Packed[]): Packed {
  let crc = 0;
  let length = 0;
  for (const part of parts) {
    const added = plainLength(part);
    crc = joinedCrc(crc, part.gzip.readUInt32LE(part.gzip.length - TRAILER), added);
    length += added;
  }
  const blocks = parts.map(({ gzip }) => gzip.subarray(HEADER, gzip.length - TRAILER - END.length));
  const gzip = Buffer.concat([header(), ...blocks, END, trailer(crc, length)]);
  return { gzip };
}

/** The polynomial of CRC-32 (RFC 1952, 8). It is reflected like all numbers here: the highest bit is x⁰. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

/** The product of two polynomials modulo that of CRC-32. */
function product(a: number, b: number): number {
  let result = 0;
  let factor = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) result ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL;
  }
  return result >>> 0;
}

/** The CRC-32 of two texts together, from the CRC-32 of each and the length of the second: a·x^(8·length) + b. */
function joinedCrc(a: number, b: number, length: number): number {
  let shift = ONE;
  let power = ONE >>> 8;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = product(power, shift);
    power = product(power, power);
  }
  return (product(shift, a) ^ b) >>> 0;
}
