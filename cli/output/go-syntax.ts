/** Formats a value in Go syntax, such as `map[string]interface {}{"a":"b"}`. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (typeof value === 'object' && !('toJSON' in value)) {
    const pairs = entriesOf(value).map(([key, inner]) => `${JSON.stringify(key)}:${goSyntax(inner)}`);
    return `map[string]interface {}{${pairs.join(', ')}}`;
  }
  return typeof value === 'number' ? goNumber(value) : String(value);
}

/** Formats a value as Go prints it, such as `map[a:b c:[1 2]]`. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (typeof value === 'object' && !('toJSON' in value))
    return `map[${entriesOf(value)
      .map(([key, inner]) => `${key}:${goText(inner)}`)
      .join(' ')}]`;
  return typeof value === 'number' ? goNumber(value) : String(value);
}

/** Formats a number as Go does. Numbers with a fraction get an exponent at a smaller size than integers. */
export function goNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return String(value);
  const [digits = '', exponent] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
