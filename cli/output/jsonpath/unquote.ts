const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

/**
 * Matches an escape. It is a byte in hexadecimal or octal digits, a character's number in four or eight digits, or one
 * character.
 */
const ESCAPE = /\\(?:x([\da-fA-F]{2})|([0-7]{3})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.)|$)/gsu;

/** The text between quotes, with its escapes replaced. Undefined means that an escape is wrong. */
export function unquote(text: string, quote: string): string | undefined {
  if (text.includes('\n')) return undefined;
  const bytes: Buffer[] = [];
  let at = 0;
  for (const match of text.matchAll(ESCAPE)) {
    const [all, hexadecimal, octal, short, long, simple] = match;
    bytes.push(Buffer.from(text.slice(at, match.index)));
    at = match.index + all.length;
    const byte = hexadecimal === undefined ? octal && Number.parseInt(octal, 8) : Number.parseInt(hexadecimal, 16);
    if (typeof byte === 'number') {
      if (byte > 255) return undefined;
      bytes.push(Buffer.of(byte));
      continue;
    }
    const point = short ?? long;
    const code = point === undefined ? undefined : Number.parseInt(point, 16);
    if (code !== undefined && (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))) return undefined;
    const char = code === undefined ? (simple === quote ? quote : SIMPLE[simple ?? '']) : String.fromCodePoint(code);
    if (char === undefined) return undefined;
    bytes.push(Buffer.from(char));
  }
  return Buffer.concat([...bytes, Buffer.from(text.slice(at))]).toString();
}
