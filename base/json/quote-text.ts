const NAMED: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);
/** Characters to escape: all but letters, marks, digits, punctuation, symbols and the ordinary space. */
const QUOTED = /["\\]|(?! )[\p{C}\p{Z}]/gu;

/**
 * A text in quotes, in the form that clients know from messages. Characters that cannot be printed are written as `\n`,
 * `\x00`, `\u200b` or `\U000e0001`.
 *
 * @example quoteText('a\n<b>') // => '"a\\n<b>"'
 */
export function quoteText(text: string): string {
  return `"${text.replace(QUOTED, escaped)}"`;
}

function escaped(character: string): string {
  const named = NAMED.get(character);
  if (named !== undefined) return named;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}
