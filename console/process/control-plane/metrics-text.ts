/** One line of metrics. */
export interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** The length of the longest line that is read, in characters: longer lines contain nothing that the console needs. */
const LONGEST_LINE = 16_384;

/**
 * Reads metrics in their text form, piece by piece as they arrive. The metrics of a large cluster have many megabytes,
 * and the console needs only a few lines.
 *
 * @example
 * const reader = new MetricsText((name) => name === 'up', (sample) => samples.push(sample));
 * for await (const piece of incoming.pieces()) reader.push(piece.toString('latin1'));
 * reader.end();
 */
export class MetricsText {
  readonly #isWanted: (name: string) => boolean;
  readonly #onSample: (sample: Sample) => void;
  #rest = '';

  /**
   * @param isWanted which samples are handed over, by their name; a family of histograms has several
   * @param onSample gets each of them
   */
  constructor(isWanted: (name: string) => boolean, onSample: (sample: Sample) => void) {
    this.#isWanted = isWanted;
    this.#onSample = onSample;
  }

  push(piece: string): void {
    const text = this.#rest + piece;
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#line(text, from, end);
      from = end + 1;
    }
    this.#rest = text.length - from > LONGEST_LINE ? '' : text.slice(from);
  }

  end(): void {
    this.#line(this.#rest, 0, this.#rest.length);
    this.#rest = '';
  }

  #line(text: string, from: number, end: number): void {
    if (end === from || end - from > LONGEST_LINE || text[from] === '#') return;
    const line = text.slice(from, end);
    const name = /^[a-zA-Z_:][\w:]*/.exec(line)?.[0];
    if (name === undefined || !this.#isWanted(name)) return;
    const labels = new Map<string, string>();
    let at = name.length;
    if (line[at] === '{') {
      const after = readLabels(line, at + 1, labels);
      if (after === undefined) return;
      at = after;
    }
    const value = numberOf(line.slice(at).trim().split(' ', 1)[0]!);
    if (value !== undefined) this.#onSample({ name, labels, value });
  }
}

const LABEL = /\s*([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"\s*,?/y;

/** The place after the closing brace; undefined if there is none. */
function readLabels(line: string, from: number, labels: Map<string, string>): number | undefined {
  let at = from;
  for (;;) {
    if (line[at] === '}') return at + 1;
    LABEL.lastIndex = at;
    const found = LABEL.exec(line);
    if (found === null) return undefined;
    labels.set(
      found[1]!,
      found[2]!.replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped)),
    );
    at = LABEL.lastIndex;
  }
}

function numberOf(text: string): number | undefined {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}
