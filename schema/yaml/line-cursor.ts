import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import { DASH, HASH, LINE_END, SPACE, TAB } from './plain-characters.ts';

/** The largest number of values of a document, without keys. Files of tens of thousands of lines have that many. */
const MAX_VALUES = 100_000;
/** The deepest nesting. Each level takes some frames of the stack. */
export const MAX_DEPTH = 250;

/** The column when no line is left. */
export const ENDED: number = -1;

/** The error that this reader cannot read a part of a document. A complete reader must then read the document. */
export class NotPlain extends Error {
  /** The line, counted from 1. */
  readonly line: number;

  constructor(line: number) {
    super('not plain YAML');
    this.line = line;
  }
}

/** A position in a document, which moves from line to line, with limits for the amount to read. */
export class LineCursor {
  protected readonly text: string;
  protected at = -1;
  /** The column of the line's first value; {@link ENDED} after the last line. */
  protected column: number = 0;
  /** The number of line ends that the cursor passed to reach the line, and whether it passed comments. */
  protected passed = 0;
  protected commented = false;
  #values = 0;
  protected depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  protected notPlain(): NotPlain {
    let line = 1;
    const text = this.text;
    for (let at = text.indexOf('\n'); at >= 0 && at < this.at; at = text.indexOf('\n', at + 1)) line++;
    return new NotPlain(line);
  }

  protected count(): void {
    if (++this.#values > MAX_VALUES) throw new MalformedBodyError('yaml: too many values for YAML: send them as JSON');
  }

  protected deeper(): void {
    if (++this.depth > MAX_DEPTH) throw new MalformedBodyError('yaml: exceeded max depth');
  }

  /** Moves from the end of a line to the first value of the next line that has one. */
  protected nextLine(first = false): void {
    const text = this.text;
    let at = this.at;
    this.passed = 0;
    this.commented = false;
    for (;;) {
      if (at >= text.length) break;
      const start = ++at;
      this.passed++;
      let code = text.charCodeAt(at);
      while (code === SPACE) code = text.charCodeAt(++at);
      if (code === LINE_END) continue;
      if (code === HASH) {
        this.commented = true;
        at = this.lineEnd(at);
        continue;
      }
      if (at >= text.length) break;
      this.at = at;
      this.column = at - start;
      if (code === TAB) throw this.notPlain();
      if (this.column === 0 && (code === DASH || code === 0x2e) && this.isMarker(at)) {
        if (code !== DASH) throw this.notPlain();
        if (!first) break;
        this.at += 3;
        this.endLine();
        this.nextLine();
        if (this.column === ENDED) throw this.notPlain();
      }
      return;
    }
    this.at = at;
    this.column = ENDED;
  }

  /** Whether the line marks the beginning or the end of a document. */
  protected isMarker(at: number): boolean {
    const mark = this.text.slice(at, at + 3);
    if (mark !== '---' && mark !== '...') return false;
    const next = this.text.charCodeAt(at + 3);
    return Number.isNaN(next) || next <= SPACE;
  }

  protected lineEnd(at: number): number {
    const end = this.text.indexOf('\n', at);
    return end < 0 ? this.text.length : end;
  }

  /** Whether there is a space, or the end of a line or of the text. This reader does not accept tabs as spaces. */
  protected isBlank(at: number): boolean {
    const code = this.text.charCodeAt(at);
    if (code === TAB) throw this.notPlain();
    return code === SPACE || code === LINE_END || at >= this.text.length;
  }

  protected spaces(): number {
    while (this.text.charCodeAt(this.at) === SPACE) this.at++;
    return this.text.charCodeAt(this.at);
  }

  /** Moves to the end of a line. Only a comment may be left on it. */
  protected endLine(): void {
    const before = this.at;
    const code = this.spaces();
    if (code === LINE_END || this.at >= this.text.length) return;
    if (code !== HASH || this.at === before) throw this.notPlain();
    this.at = this.lineEnd(this.at);
  }

  protected isDash(): boolean {
    return this.text.charCodeAt(this.at) === DASH && this.isBlank(this.at + 1);
  }
}
