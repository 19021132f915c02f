import { goNumber } from './go-syntax.ts';

/** Formats values as YAML like the field's clients. Keys are in natural order, and a list is indented like its key. */
export function toYaml(value: unknown): string {
  const out: string[] = [];
  writeBlock(value, 0, out, '');
  return out.join('');
}

/** The number of columns after which long plain texts are folded. */
const BEST_WIDTH = 80;

/**
 * @param lead the text before the value in its line. It is '' at the beginning, and otherwise ends with a space or is a
 * key
 */
function writeBlock(value: unknown, indent: number, out: string[], lead: 'key' | 'item' | ''): void {
  if (Array.isArray(value)) {
    if (value.length === 0) {
      out.push(lead === 'key' ? ' []\n' : '[]\n');
      return;
    }
    // A list below a key is indented like the key.
    const own = lead === 'key' ? indent - 2 : indent;
    if (lead === 'key') out.push('\n');
    value.forEach((item, at) => {
      out.push(lead === 'item' && at === 0 ? '' : ' '.repeat(own), '- ');
      writeBlock(item, own + 2, out, 'item');
    });
    return;
  }
  if (isNumberText(value) || typeof value !== 'object' || value === null) {
    out.push(lead === 'key' ? ' ' : '');
    out.push(scalar(value, indent, columnOf(out)), '\n');
    return;
  }
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  if (entries.length === 0) {
    out.push(lead === 'key' ? ' {}\n' : '{}\n');
    return;
  }
  entries.sort(([a], [b]) => (naturallyBefore(a, b) ? -1 : 1));
  if (lead === 'key') out.push('\n');
  entries.forEach(([key, inner], at) => {
    out.push(lead === 'item' && at === 0 ? '' : ' '.repeat(indent), keyText(key), ':');
    writeBlock(inner, indent + 2, out, 'key');
  });
}

/** The column at the end of the text so far. */
function columnOf(out: readonly string[]): number {
  let column = 0;
  for (let at = out.length - 1; at >= 0; at--) {
    const newline = out[at]!.lastIndexOf('\n');
    if (newline >= 0) return column + out[at]!.length - newline - 1;
    column += out[at]!.length;
  }
  return column;
}

/** Whether a value is the text of a number that a double would round. */
function isNumberText(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'toJSON' in value && 'text' in value;
}

function scalar(value: unknown, indent: number, column: number): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return text(value, indent, column);
  if (typeof value === 'number') return goNumber(value);
  if (typeof value === 'object') return String((value as { text: unknown }).text);
  return String(value);
}

function keyText(key: string): string {
  return text(key, 0, 0, true);
}

/** Texts that a YAML parser would read as another type. */
const RESERVED = new Set(
  [
    'y',
    'n',
    'yes',
    'no',
    'on',
    'off',
    'true',
    'false',
    'null',
    '~',
    '',
    '.nan',
    '.inf',
    '+.inf',
    '-.inf',
    '<<',
  ].flatMap((word) => [word, word.toUpperCase(), word.slice(0, 1).toUpperCase() + word.slice(1)]),
);
const SPECIAL_FLOATS = new Set(['.NaN', '.Inf', '+.Inf', '-.Inf']);

function readsAsNumber(value: string): boolean {
  if (!/^[-+.0-9]/.test(value)) return false;
  const plain = value.replaceAll('_', '');
  if (/^[-+]?(0b[01]+|0x[0-9a-fA-F]+|0o?[0-7]+|\d+)$/.test(plain)) return true;
  if (/^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/.test(plain)) return true;
  // This is a number to the base 60 for old parsers.
  if (/^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/.test(value)) return true;
  return /^\d{4}-\d{1,2}-\d{1,2}([Tt ]|$)/.test(value) && readsAsTime(value);
}

function readsAsTime(value: string): boolean {
  return /^\d{4}-\d{1,2}-\d{1,2}$|^\d{4}-\d{1,2}-\d{1,2}([Tt]|\s+)\d{1,2}:\d{1,2}:\d{1,2}(\.\d+)?(Z|[+-]\d{2}:\d{2})?$/.test(
    value,
  );
}

function text(value: string, indent: number, column: number, key = false): string {
  const shape = shapeOf(value);
  if (value.includes('\n') && !key)
    return shape.literal ? literal(value, indent) : folded(doubleQuoted(value), indent, column);
  if (RESERVED.has(value) || SPECIAL_FLOATS.has(value) || readsAsNumber(value)) return doubleQuoted(value);
  if (shape.plain) return key ? value : foldedPlain(value, indent, column);
  if (shape.single) {
    const quoted = value.replaceAll("'", "''");
    return key ? `'${quoted}'` : `'${foldedPlain(quoted, indent, column + 1)}'`;
  }
  return key ? doubleQuoted(value) : folded(doubleQuoted(value), indent, column);
}

/** The ways in which a text may be written. */
function shapeOf(value: string): { plain: boolean; single: boolean; literal: boolean } {
  const special = /(?![\n\u0085])\p{Cc}|\ufeff|\p{Cs}|[\u{10000}-\u{10ffff}]/u.test(value);
  const breaks = /[\n\u0085\u2028\u2029]/.test(value);
  const edges = /^[ \n]|[ \n]$/.test(value);
  const breakSpace = /\n /.test(value);
  const spaceBreak = / \n/.test(value);
  const indicators =
    /^(---|\.\.\.)/.test(value) ||
    /^[#,[\]{}&*!|>'"%@`]/.test(value) ||
    /^[?:-](\s|$)/.test(value) ||
    /:(\s|$)/.test(value) ||
    /\s#/.test(value);
  return {
    plain: !special && !breaks && !edges && !indicators,
    single: !special && !spaceBreak && !breakSpace,
    literal: !special && !spaceBreak && !value.endsWith(' '),
  };
}

function literal(value: string, indent: number): string {
  const hint = /^[ \n]/.test(value) ? '2' : '';
  const chomp = !value.endsWith('\n') ? '-' : value === '\n' || value.endsWith('\n\n') ? '+' : '';
  const body = value.endsWith('\n') ? value.slice(0, -1) : value;
  const lines = body.split('\n').map((line) => (line === '' ? '' : ' '.repeat(Math.max(indent, 2)) + line));
  return `|${hint}${chomp}\n${lines.join('\n')}`;
}

/** Folds a long text at a space that has a letter on each side. */
function foldedPlain(value: string, indent: number, column: number): string {
  if (column + value.length <= BEST_WIDTH || !value.includes(' ')) return value;
  let out = '';
  let at = column;
  for (let i = 0; i < value.length; i++) {
    const char = value[i]!;
    if (
      char === ' ' &&
      at > BEST_WIDTH &&
      i > 0 &&
      i < value.length - 1 &&
      value[i + 1] !== ' ' &&
      value[i - 1] !== ' '
    ) {
      out += `\n${' '.repeat(indent)}`;
      at = indent;
      continue;
    }
    out += char;
    at++;
  }
  return out;
}

/** Folds a long text in double quotes at a space. If another space follows, a backslash keeps that space. */
function folded(quoted: string, indent: number, column: number): string {
  if (column + quoted.length <= BEST_WIDTH) return quoted;
  let out = '';
  let at = column;
  let allow = false;
  for (let i = 0; i < quoted.length; i++) {
    const char = quoted[i]!;
    if (char === ' ' && allow && at > BEST_WIDTH && i > 1 && i < quoted.length - 2) {
      out += `\n${' '.repeat(indent)}${quoted[i + 1] === ' ' ? '\\' : ''}`;
      at = indent;
      allow = false;
      continue;
    }
    allow = char !== ' ' || allow;
    out += char;
    at++;
  }
  return out;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\0', '\\0'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\x1b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0085', '\\N'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
]);

function doubleQuoted(value: string): string {
  const escaped = value.replaceAll(/[\p{Cc}"\\\u2028\u2029\ufeff\u{10000}-\u{10ffff}]/gu, (char) => {
    const known = ESCAPES.get(char);
    if (known !== undefined) return known;
    const code = char.codePointAt(0)!;
    const hex = code.toString(16).toUpperCase();
    if (code > 0xffff) return `\\U${hex.padStart(8, '0')}`;
    return code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}

const isLetter = (char: string) => /\p{L}/u.test(char);
const isDigit = (char: string | undefined) => char !== undefined && char >= '0' && char <= '9';

/**
 * The order of keys. Numbers in them are compared by their value. Letters come after other characters. All else is
 * compared by code point.
 */
function naturallyBefore(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [x, y] = [a[at]!, b[at]!];
    if (x === y) continue;
    const [xl, yl] = [isLetter(x), isLetter(y)];
    if (xl && yl) return x < y;
    if (xl || yl) return yl;
    const [first, second] = [digitsAt(a, at), digitsAt(b, at)];
    let [m, n] = [Number(first), Number(second)];
    if (x === '0' || y === '0') {
      for (let before = at - 1; before >= 0 && isDigit(a[before]); before--)
        if (a[before] !== '0') {
          // The digits of one number: the longer number is the larger one.
          m = Number(`1${first}`);
          n = Number(`1${second}`);
          break;
        }
    }
    if (m !== n) return m < n;
    if (first.length !== second.length) return first.length < second.length;
    return x < y;
  }
  return a.length < b.length;
}

function digitsAt(text: string, at: number): string {
  let end = at;
  while (isDigit(text[end])) end++;
  return text.slice(at, end);
}
