import { formatJson } from '#client/json.ts';

/** Formats a value as JSON with four spaces for each level, sorted keys, and escapes for characters of HTML markup. */
export function toJson(value: unknown, indent = '    '): string {
  return `${render(value, '', indent, true)}\n`;
}

/** Formats a value as JSON with four spaces for each level and the keys in the order of the value. */
export function toJsonAsGiven(value: unknown): string {
  return `${render(value, '', '    ', false)}\n`;
}

/** Formats JSON in one line, with sorted keys or with the keys in the order of the value. */
export function toCompactJson(value: unknown, sorted = true): string {
  return render(value, '', '', sorted);
}

function render(value: unknown, lead: string, indent: string, sorted: boolean): string {
  const own = lead + indent;
  const [open, between, close] = indent === '' ? ['', ',', ''] : [`\n${own}`, `,\n${own}`, `\n${lead}`];
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[${open}${value.map((item) => render(item, own, indent, sorted)).join(between)}${close}]`;
  }
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) !== null && !isPlain(value))
    return escaped(formatJson(value));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
    if (sorted) entries.sort(([a], [b]) => (a < b ? -1 : 1));
    if (entries.length === 0) return '{}';
    const colon = indent === '' ? ':' : ': ';
    const pairs = entries.map(
      ([key, inner]) => `${escaped(JSON.stringify(key))}${colon}${render(inner, own, indent, sorted)}`,
    );
    return `{${open}${pairs.join(between)}${close}}`;
  }
  return escaped(JSON.stringify(value ?? null));
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === Object.prototype || prototype === null;
}

function escaped(json: string): string {
  return json.replaceAll(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
