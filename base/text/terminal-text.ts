/**
 * Characters that control a terminal or change the order of the text that it shows: C0 except tab and line feed, DEL,
 * C1, and characters that embed or override a direction (U+202A to U+202E, U+2066 to U+2069).
 */
const STEERING = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
const ALL_STEERING = new RegExp(STEERING.source, 'gu');
const LINE_ENDS = /\r+\n/g;

/**
 * A text that is safe for a terminal. Characters that would control the terminal are replaced by a visible form (`^[`
 * for an escape, `\u009b` for a character beyond ASCII), and so have no effect. Line ends become those of Unix.
 *
 * @example harmlessText('a\u001b[2J\u202eb') // => 'a^[[2J\\u202eb'
 */
export function harmlessText(text: string): string {
  if (!STEERING.test(text)) return text;
  return text.replaceAll(LINE_ENDS, '\n').replaceAll(ALL_STEERING, visible);
}

function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x0d) return '\\r';
  if (code <= 0x7f) return `^${String.fromCharCode(code ^ 0x40)}`;
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
