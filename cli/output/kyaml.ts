import { formatJson } from '#client/json.ts';

/**
 * A value as KYAML. This form of YAML does not depend on indentation, because maps and lists are in brackets, and texts
 * in quotes. A document begins with `---`. Keys are sorted.
 */
export function toKyaml(value: unknown): string {
  return `---\n${kyamlOf(value, 0)}\n`;
}

/**
 * The text of a value inside `depth` brackets, without the spaces before its first line.
 * @example kyamlOf({ a: ['x'] }, 0) // '{\n  a: [\n    "x",\n  ],\n}'
 */
export function kyamlOf(value: unknown, depth: number): string {
  const lead = '  '.repeat(depth);
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    const inOne = value.every((item) => isList(item) || isMap(item));
    if (inOne) return `[${value.map((item) => kyamlOf(item, depth)).join(', ')}]`;
    return `[\n${value.map((item) => `${lead}  ${kyamlOf(item, depth + 1)},\n`).join('')}${lead}]`;
  }
  if (isMap(value)) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
    if (entries.length === 0) return '{}';
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    const lines = entries.map(([key, inner]) => `${lead}  ${keyText(key)}: ${kyamlOf(inner, depth + 1)},\n`);
    return `{\n${lines.join('')}${lead}}`;
  }
  if (typeof value === 'string') return quoted(value, '  '.repeat(depth + 1));
  return formatJson(value ?? null);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === Object.prototype || prototype === null;
}

/** A key. It is in quotes only if a parser would read another type. */
function keyText(key: string): string {
  const plain = /^[\p{L}\p{N}_]([\p{L}\p{N}_./-]*[\p{L}\p{N}_])?$/u.test(key) && !readsAsOther(key);
  return plain ? key : `"${[...key].map((char) => (char === '\t' ? '\\t' : escaped(char))).join('')}"`;
}

/** Whether YAML parsers read a text as null, a boolean, a number, or a time. */
function readsAsOther(text: string): boolean {
  if (/^(null|true|false|y|yes|on|n|no|off|t|f)$/i.test(text)) return true;
  const digits = text.replaceAll('_', '');
  if (/^(0b[01]+|0o?[0-7]+|0x[0-9a-f]+)$/i.test(digits) || /^0x[0-9a-f]*\.?[0-9a-f]*p[+-]?\d+$/i.test(digits))
    return true;
  if (/^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits)) return Number.isFinite(Number(digits));
  return /^(inf|infinity|nan)$/i.test(digits) || /^\d{4}-\d{1,2}-\d{1,2}$/.test(text);
}

/**
 * A text in quotes. If it contains line breaks, each of its lines is a line of the output, indented by `indent`. A
 * backslash at the end of a line continues the text. A backslash before a space means that the space belongs to the
 * text.
 */
function quoted(text: string, indent: string): string {
  const inLines = text.includes('\n');
  let out = inLines ? '"\\\n' : '"';
  for (const char of text) {
    if (out.endsWith('\n')) out += indent + (char !== '\n' && /[\s\u0085]/.test(char) ? '\\' : ' ');
    out += char === '\n' ? '\\n\\\n' : escaped(char);
  }
  if (!inLines) return `${out}"`;
  return `${out}${out.endsWith('\n') ? '' : '\\\n'}${indent}"`;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\t'],
  ['\v', '\\v'],
  ['\0', '\\0'],
  ['\x1b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0085', '\\N'],
  ['\u00a0', '\\_'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
]);

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function escaped(char: string): string {
  const known = ESCAPES.get(char);
  if (known !== undefined) return known;
  if (PRINTABLE.test(char)) return char;
  const code = char.codePointAt(0)!;
  const hex = code.toString(16);
  if (code < 0x20 || code === 0x7f) return `\\x${hex.padStart(2, '0')}`;
  if (code >= 0xd800 && code <= 0xdfff) return '\\ufffd';
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
