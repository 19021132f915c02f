/** What stands for what behind a backslash in double quotes, where no digits follow. */
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

/** A text without the spaces at its end; other blanks belong to it. */
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
  // pairs of backslashes hide what follows them
  if (BROKEN_ESCAPE.test(raw.replaceAll('\\\\', ''))) return undefined;
  return raw.replace(ESCAPE, (_, two: string | undefined, four: string | undefined, one: string | undefined) =>
    one === undefined ? String.fromCharCode(Number.parseInt((two ?? four)!, 16)) : (ESCAPES.get(one) ?? ''),
  );
}

/**
 * The text of several lines in quotes: a line end is a space, and those of empty lines stay. Undefined where a line
 * does not stand behind column `parent`, or where tabs, or backslashes before blanks, make it more than that.
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

/** How a block of text is to be read. */
export interface BlockForm {
  /** The column of what holds it: its lines stand behind that. */
  readonly parent: number;
  readonly folded: boolean;
  /** The last line end goes, or those of empty lines behind it stay. */
  readonly strips: boolean;
  readonly keeps: boolean;
}

/**
 * The block of text in the lines behind the one that ends at `at`, and the end of its last line. Undefined for lines
 * that stand otherwise than the first one.
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
  // a block of empty lines, or one without a line feed at the end, is left to the complete reader
  if (filled === 0 || end >= text.length) return undefined;
  const body = folded ? folds(lines.slice(0, filled)) : lines.slice(0, filled).join('\n');
  if (body === undefined) return undefined;
  const tail = strips ? '' : keeps ? '\n'.repeat(lines.length - filled + 1) : '\n';
  return { value: body + tail, end };
}

/** Lines with spaces for line ends; undefined where some are indented more than others, whose ends stay. */
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
