/** The number of spaces between columns. */
const PADDING = 3;
const LEAST_WIDTH = 6;

export interface TabWriterOptions {
  readonly padding?: number;
  readonly leastWidth?: number;
  /** Whether a later block keeps the widths of earlier blocks, as a watch does. */
  readonly remember?: boolean;
}

/**
 * Lines of aligned cells. A column is as wide as its widest cell in adjacent lines. It ends at a line without such a
 * cell. The last cell of a line is not padded.
 */
export class TabWriter {
  readonly #padding: number;
  readonly #least: number;
  readonly #remember: boolean;
  #lines: string[][] = [];
  #known: number[] = [];

  constructor(options: TabWriterOptions = {}) {
    this.#padding = options.padding ?? PADDING;
    this.#least = options.leastWidth ?? LEAST_WIDTH;
    this.#remember = options.remember ?? false;
  }

  /** Adds one line with cells. */
  line(cells: readonly string[]): void {
    this.#lines.push([...cells]);
  }

  /** Adds text in which a tab separates cells, and each line is a line of the output. */
  text(text: string): void {
    for (const line of text.replace(/\n$/, '').split('\n')) this.line(line.split('\t'));
  }

  /** Returns the text that was added since the last call. */
  flush(): string {
    const lines = this.#lines;
    this.#lines = [];
    const out: string[] = [];
    const widths: number[][] = lines.map(() => []);
    this.#measure(lines, widths, 0, lines.length, 0);
    lines.forEach((cells, at) => {
      const own = widths[at]!;
      for (let column = 0; column < cells.length; column++) {
        const cell = cells[column]!;
        out.push(cell);
        if (column < cells.length - 1) out.push(' '.repeat(Math.max(0, (own[column] ?? 0) - width(cell))));
      }
      out.push('\n');
    });
    return out.join('');
  }

  /**
   * Sets the width of one column in lines from..to, block by block, and then the widths of the columns to its right.
   */
  #measure(lines: readonly string[][], widths: number[][], from: number, to: number, column: number): void {
    for (let at = from; at < to; ) {
      if (lines[at]!.length - 1 <= column) {
        at++;
        continue;
      }
      let end = at;
      let widest = this.#least;
      let empty = true;
      for (; end < to && lines[end]!.length - 1 > column; end++) {
        const cell = width(lines[end]![column]!);
        if (cell > 0) empty = false;
        widest = Math.max(widest, cell + this.#padding);
      }
      if (empty && this.#least === 0) widest = this.#padding;
      if (this.#remember) {
        widest = Math.max(widest, this.#known[column] ?? 0);
        this.#known[column] = widest;
      }
      for (let line = at; line < end; line++) widths[line]![column] = widest;
      this.#measure(lines, widths, at, end, column + 1);
      at = end;
    }
  }
}

/** Matches escape sequences for bold or coloured text, which have no width. */
const STYLE = /\p{Cc}\[[\d;]*m/gu;

/** The width of a text in characters. */
function width(cell: string): number {
  const text = cell.includes('\u001b') ? cell.replaceAll(STYLE, '') : cell;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return [...text].length;
  return text.length;
}
