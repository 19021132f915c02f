import { TabWriter } from '../../output/tab-writer.ts';

export type Texts = Readonly<Record<string, string>>;

/** The largest number of bytes of an annotation that are shown in one line. */
const LONGEST = 140;

/** Writes lines of `Name:\tvalue`, indented by levels, with aligned values. */
export class DescriptionWriter {
  readonly #writer = new TabWriter({ padding: 2, leastWidth: 0 });
  #before = '';
  /** Annotations that are not shown. */
  readonly #hidden: ReadonlySet<string>;

  readonly #tabs: boolean;

  /** @param tabs whether values follow a tab in place of alignment */
  constructor(hidden: readonly string[] = [], tabs = false) {
    this.#hidden = new Set(hidden);
    this.#tabs = tabs;
  }

  /** Writes one or several lines, with tabs before values. */
  line(level: number, text: string): void {
    const whole = '  '.repeat(level) + escaped(text);
    if (this.#tabs) this.#before += `${whole}\n`;
    else this.#writer.text(whole);
  }

  /** Writes `Name:\tvalue`. */
  field(level: number, name: string, value: unknown): void {
    this.line(level, `${name}:\t${String(value)}`);
  }

  /** Writes a field, unless its value is '', undefined or null. */
  optional(level: number, name: string, value: unknown): void {
    if (value !== undefined && value !== null && value !== '') this.field(level, name, value);
  }

  /** Writes several fields, in their order. */
  fields(level: number, values: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(values)) this.field(level, name, value);
  }

  /** Writes a field with one line for each value, or `<none>`. */
  list(level: number, name: string, values: readonly string[]): void {
    this.line(level, `${name}:\t${values[0] ?? '<none>'}`);
    for (const value of values.slice(1)) this.line(0, `\t${value}`);
  }

  /** Writes labels, or a similar map, with one line for each `key=value`, or `<none>`. */
  labels(level: number, name: string, values: Texts | null | undefined): void {
    this.list(level, name, this.labelLines(values));
  }

  /** Writes annotations in the form of `annotationLines`, or `<none>`. */
  annotations(level: number, values: Texts | null | undefined): void {
    this.list(level, 'Annotations', this.annotationLines(values));
  }

  labelLines(values: Texts | null | undefined): string[] {
    return this.#keys(values).map((key) => `${key}=${values![key]}`);
  }

  /**
   * Lines of `key: value`. A value that is long or has several lines begins below its key. Hidden annotations are
   * omitted.
   */
  annotationLines(values: Texts | null | undefined): string[] {
    return this.#keys(values).flatMap((key) => {
      const value = values![key]!.replace(/\n$/, '');
      const long = value.includes('\n') || Buffer.byteLength(key) + Buffer.byteLength(value) + 2 > LONGEST;
      return long
        ? [`${key}:`, ...value.split('\n').map((line) => `  ${shortened(line, LONGEST - 2)}`)]
        : [`${key}: ${value}`];
    });
  }

  /** Labels or annotations of a part of an object. All lines are indented twice, except further lines of a value. */
  nested(level: number, name: string, lines: readonly string[]): void {
    const lead = '  '.repeat(level);
    this.line(0, `${lead}${name}:\t${lead}${lines[0] ?? '<none>'}`);
    for (const line of lines.slice(1))
      this.line(0, line.startsWith(' ') ? `${lead}\t${line}` : `${lead}${lead}\t${lead}${line}`);
  }

  /**
   * Writes rows under their headings, with a line of dashes after the headings.
   * @param dashes the number of dashes below each heading, by default the length of the heading
   */
  table(
    level: number,
    heads: readonly string[],
    rows: readonly (readonly unknown[])[],
    dashes: readonly string[] = heads.map((head) => '-'.repeat(head.length)),
  ): void {
    this.line(level, heads.join('\t'));
    if (dashes.length > 0) this.line(level, dashes.join('\t'));
    for (const row of rows) this.line(level, row.join('\t'));
  }

  text(): string {
    return this.#before + this.#writer.flush();
  }

  #keys(values: Texts | null | undefined): string[] {
    return Object.keys(values ?? {})
      .filter((key) => !this.#hidden.has(key))
      .sort();
  }
}

/** A text with escapes instead of characters that would change the terminal. */
function escaped(text: string): string {
  return text.replaceAll('\u001b', '^[').replaceAll('\r', '\\r');
}

/** A text of at most `most` bytes. If it is cut, `...` follows. */
export function shortened(text: string, most: number): string {
  const bytes = Buffer.from(text);
  return bytes.length > most ? `${bytes.subarray(0, most).toString()}...` : text;
}
