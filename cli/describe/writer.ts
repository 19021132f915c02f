import { TabWriter } from '../output/tab-writer.ts';

/** Writes lines of `Name:\tvalue`, indented by levels, whose values stand under each other. */
export class DescriptionWriter {
  readonly #writer = new TabWriter({ padding: 2, leastWidth: 0 });

  /** A line (or several), with tabs before values. */
  line(level: number, text: string): void {
    this.#writer.text('  '.repeat(level) + text);
  }

  /** `Name:\tvalue` */
  field(level: number, name: string, value: unknown): void {
    this.line(level, `${name}:\t${String(value)}`);
  }

  /** Labels or annotations: a line each, or `<none>`. */
  map(level: number, name: string, values: Readonly<Record<string, string>> | undefined, separator = '='): void {
    const lead = '  '.repeat(level);
    const keys = Object.keys(values ?? {}).sort();
    if (keys.length === 0) this.line(level, `${name}:\t<none>`);
    keys.forEach((key, at) => {
      this.#writer.text(`${lead}${at === 0 ? `${name}:` : ''}\t${key}${separator}${values![key]}`);
    });
  }

  text(): string {
    return this.#writer.flush();
  }
}
