import { TabWriter } from '../../output/tab-writer.ts';

export type Texts = Readonly<Record<string, string>>;

/** The largest number of bytes of an annotation that are shown in a line. */
const LONGEST = 140;

/** Writes lines of `Name:\tvalue`, indented by levels, with aligned values. */
export class DescriptionWriter {
  readonly #writer = new TabWriter({ padding: 2, leastWidth: 0 });
  #before = '';
  /** Annotations that are not shown. */
  readonly #hidden: ReadonlySet<string>;

  readonly #tabs: boolean;

  /** @param tabs values follow a tab, and are not aligned */
  constructor(hidden: readonly string[] = [], tabs = false) {
    this.#hidden = new Set(hidden);
    this.#tabs = tabs;
  }

  /** A line (or several), with tabs before values. */
  line(level: number, text: string): void {
    const whole = '  '.repeat(level) + escaped(text);
    if (this.#tabs) this.#before += `${whole}\n`;
    else this.#writer.text(whole);
  }

  /** `Name:\tvalue` */
  field(level: number, name: string, value: unknown): void {
    this.line(level, `${name}:\t${String(value)}`);
  }

  /** A field that is left out if its value is '', undefined or null. */
  optional(level: number, name: string, value: unknown): void {
    if (value !== undefined && value !== null && value !== '') this.field(level, name, value);
  }

  /** Several fields, in their order. */
  fields(level: number, values: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(values)) this.field(level, name, value);
  }

  /** A field with a line for each value, or `<none>`. */
  list(level: number, name: string, values: readonly string[]): void {
    this.line(level, `${name}:\t${values[0] ?? '<none>'}`);
    for (const value of values.slice(1)) this.line(0, `\t${value}`);
  }

  /** Labels, or similar maps: a line for each `key=value`, or `<none>`. */
  labels(level: number, name: string, values: Texts | null | undefined): void {
    this.list(level, name, this.labelLines(values));
  }

  /** Annotations in the form of `annotationLines`, or `<none>`. */
  annotations(level: number, values: Texts | null | undefined): void {
    this.list(level, 'Annotations', this.annotationLines(values));
  }

  labelLines(values: Texts | null | undefined): string[] {
    return this.#keys(values).map((key) => `${key}=${values![key]}`);
  }

  /**
   * Lines of `key: value`. A value that is long or has several lines begins below its key. Hidden annotations are left
   * out.
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

  /** Labels or annotations of a part of an object. They are indented twice, except the further lines of a value. */
  nested(level: number, name: string, lines: readonly string[]): void {
    const lead = '  '.repeat(level);
    this.line(0, `${lead}${name}:\t${lead}${lines[0] ?? '<none>'}`);
    for (const line of lines.slice(1))
      this.line(0, line.startsWith(' ') ? `${lead}\t${line}` : `${lead}${lead}\t${lead}${line}`);
  }

  /**
   * Rows under their heads, and dashes between both.
   * @param dashes the dashes below each head; by default as many as the head has letters
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

/** A text of at most `most` bytes; `...` follows if it is cut. */
export function shortened(text: string, most: number): string {
  const bytes = Buffer.from(text);
  return bytes.length > most ? `${bytes.subarray(0, most).toString()}...` : text;
}
