/**
 * The characters for escapes in double quotes. The key is the character after the backslash. Escapes with digits are
 * handled elsewhere.
 */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  [' ', ' '],
  ['"', '"'],
  ['/', '/'],
  ['\\', '\\'],
  ['N', '\u0085'],
  ['_', '\u00a0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
]);

/** A text without the spaces at its end. Other blanks stay. */
export function withoutSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x20) end--;
  return text.slice(0, end);
}

function leadingSpaces(text: string): number {
  let count = 0;
  while (text.charCodeAt(count) === 0x20) count++;
  return count;
}

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([^xu]))/g;
const BROKEN_ESCAPE = /\\(?:x(?![0-9a-fA-F]{2})|u(?![0-9a-fA-F]{4})|[^xu0abtnvfre "/\\N_LP])/;

/** The text inside double quotes. Undefined if it has an unknown escape or one with eight digits. */
export function unescaped(raw: string): string | undefined {
  if (!raw.includes('\\')) return raw;
  // A pair of backslashes is one escaped backslash, so the next character is not escaped.
  if (BROKEN_ESCAPE.test(raw.replaceAll('\\\\', ''))) return undefined;
  return raw.replace(ESCAPE, (_, two: string | undefined, four: string | undefined, one: string | undefined) =>
    one === undefined ? String.fromCharCode(Number.parseInt((two ?? four)!, 16)) : (ESCAPES.get(one) ?? ''),
  );
}

/**
 * A quoted text of several lines. A line end becomes a space, and the line ends of empty lines stay. Undefined in these
 * cases: a line does not start after column `parent`, or the text contains tabs, or backslashes before blanks or line
 * ends.
 */
export function foldedLines(raw: string, parent: number): string | undefined {
  if (raw.includes('\t') || raw.includes('\\ ') || raw.includes('\\\n')) return undefined;
  const lines = raw.split('\n');
  const last = lines.length - 1;
  let whole = withoutSpaces(lines[0]!);
  let ends = 0;
  for (let i = 1; i <= last; i++) {
    const line = lines[i]!;
    const column = leadingSpaces(line);
    ends++;
    if (column === line.length && i < last) continue;
    if (column <= parent) return undefined;
    whole += ends === 1 ? ' ' : '\n'.repeat(ends - 1);
    whole += i < last ? withoutSpaces(line.slice(column)) : line.slice(column);
    ends = 0;
  }
  return whole;
}

/** The form of a block of text. */
export interface BlockForm {
  /** The column of the parent. The lines of the block start after it. */
  readonly parent: number;
  readonly folded: boolean;
  /** With `strips`, the last line end is removed. With `keeps`, the line ends of the empty lines after it stay. */
  readonly strips: boolean;
  readonly keeps: boolean;
}

/**
 * The block of text in the lines after the line that ends at `at`, and the end of its last line. Undefined if this
 * reader does not support the indentation of the lines.
 *
 * @example
 * blockText('a: |\n  x\n  y\nb: 1', 4, { parent: 0, folded: false, strips: false, keeps: false })
 * // => { value: 'x\ny\n', end: 12 }
 */
export function blockText(
  text: string,
  at: number,
  { parent, folded, strips, keeps }: BlockForm,
): { readonly value: string; readonly end: number } | undefined {
  const lines: string[] = [];
  let indent = -1;
  let end = at;
  while (end < text.length) {
    const start = end + 1;
    let content = start;
    while (text.charCodeAt(content) === 0x20) content++;
    const width = content - start;
    if (content >= text.length && width === 0) break;
    const isEmpty = content >= text.length || text.charCodeAt(content) === 0x0a;
    if (isEmpty) {
      if (width > 0 && (indent < 0 || width > indent)) return undefined;
      lines.push('');
      end = content;
      continue;
    }
    if (indent < 0 && width > parent) indent = width;
    if (width <= parent) break;
    if (width < indent) return undefined;
    const found = text.indexOf('\n', content);
    end = found < 0 ? text.length : found;
    lines.push(text.slice(start + indent, end));
  }
  let filled = lines.length;
  while (filled > 0 && lines[filled - 1] === '') filled--;
  // The complete reader handles a block of empty lines, or one without a line feed at the end.
  if (filled === 0 || end >= text.length) return undefined;
  const body = folded ? folds(lines.slice(0, filled)) : lines.slice(0, filled).join('\n');
  if (body === undefined) return undefined;
  const tail = strips ? '' : keeps ? '\n'.repeat(lines.length - filled + 1) : '\n';
  return { value: body + tail, end };
}

/**
 * Joins lines with spaces. Undefined if some lines are indented more than others, because their line ends must stay.
 */
function folds(lines: readonly string[]): string | undefined {
  let whole = '';
  let ends = 0;
  for (const line of lines) {
    if (line === '') {
      ends++;
      continue;
    }
    if (line[0] === ' ' || line[0] === '\t') return undefined;
    if (whole === '') whole = '\n'.repeat(ends);
    else whole += ends === 0 ? ' ' : '\n'.repeat(ends);
    whole += line;
    ends = 0;
  }
  return whole;
}
