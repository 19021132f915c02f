import { readFileSync, statSync } from 'node:fs';
import type { TextSource } from '#program/connection/connection.ts';

/** How long the program assumes that a file has not changed, in milliseconds. */
const LOOK_AGAIN_MS = 5_000;

/**
 * A text that may come from a file. The file may be replaced at any time. If the new file cannot be read, the old text
 * stays.
 */
export class WatchedText {
  readonly #source: TextSource;
  readonly #now: () => number;
  #text: string | undefined;
  #stamp = '';
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(source: TextSource, now: () => number = () => performance.now()) {
    this.#source = source;
    this.#now = now;
  }

  /** The current text. @throws Error if the file could never be read */
  get(): string {
    if ('text' in this.#source) return this.#source.text;
    const now = this.#now();
    if (this.#text !== undefined && now - this.#lookedAt < LOOK_AGAIN_MS) return this.#text;
    this.#lookedAt = now;
    try {
      const { mtimeMs, size, ino } = statSync(this.#source.file);
      const stamp = `${mtimeMs} ${size} ${ino}`;
      if (this.#text === undefined || stamp !== this.#stamp) {
        this.#text = readFileSync(this.#source.file, 'utf8');
        this.#stamp = stamp;
      }
    } catch (error) {
      if (this.#text === undefined) throw error;
    }
    return this.#text;
  }

  /** Reads the file again at the next {@link get}; false if there is no file. */
  forget(): boolean {
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    return 'file' in this.#source;
  }
}
