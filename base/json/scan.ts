const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER_E = 0x65;
const LOWER_U = 0x75;
const LOWER_D = 0x64;
/** The bit that makes a letter lower case. */
const LOWER = 0x20;
/** Every integer with this number of digits is exact in a double. */
const EXACT_DIGITS = 15;

/**
 * The results of one pass over the bytes of a JSON text. If the text is not JSON, the numbers mean nothing and do no
 * harm.
 */
export interface Scan {
  /** The number of colons outside strings. It is the number of keys, including repeated ones. */
  readonly colons: number;
  /**
   * The number of commas outside strings. Each list and object that is not empty has one comma less than it has parts.
   */
  readonly commas: number;
  /** The number of lists and objects, including empty ones. */
  readonly opened: number;
  /** The nesting depth of lists and objects. */
  readonly depth: number;
  /**
   * Whether a number may be written in another form than that of doubles, or a string may contain half a surrogate
   * pair.
   */
  readonly odd: boolean;
}

/** Passes once over the bytes of a JSON text. It skips the content of strings. */
export function scan(bytes: Uint8Array): Scan {
  const end = bytes.length;
  let colons = 0;
  let commas = 0;
  let opened = 0;
  let depth = 0;
  let deepest = 0;
  let odd = false;
  for (let i = 0; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) {
      for (i++; i < end; i++) {
        const inner = bytes[i];
        if (inner === QUOTE) break;
        if (inner !== BACKSLASH) continue;
        i++;
        if (bytes[i] === LOWER_U && ((bytes[i + 1] ?? 0) | LOWER) === LOWER_D) odd = true;
      }
    } else if (byte === COLON) {
      colons++;
    } else if (byte <= NINE) {
      if (byte < ZERO) {
        if (byte === COMMA) commas++;
        continue;
      }
      const start = i;
      let next = byte;
      do {
        if (next === POINT || (next | LOWER) === LOWER_E) odd = true;
        next = bytes[++i] ?? 0;
      } while ((next >= ZERO && next <= NINE) || next === POINT || (next | LOWER) === LOWER_E);
      if (i - start > EXACT_DIGITS) odd = true;
      i--;
    } else if ((byte | LOWER) === 0x7b) {
      opened++;
      if (++depth > deepest) deepest = depth;
    } else if ((byte | LOWER) === 0x7d) {
      depth--;
    }
  }
  return { colons, commas, opened, depth: deepest, odd };
}
