import { readFileSync, statSync } from 'node:fs';

/** How often a file is checked for changes, in milliseconds. It is only checked when it is used. */
const CHECK_MS = 5000;

/** A value that is made from the content of a file. It is made again when the file changes. */
export class WatchedFile<T> {
  readonly #file: string;
  readonly #make: (content: Buffer) => T;
  readonly #onError: (error: unknown) => void;
  readonly #now: () => number;
  #value: T;
  #stamp: string;
  #checked: number;

  /**
   * Reads the file at once. If a later change cannot be used, the value stays unchanged, and `onError` gets the error
   * once for each change.
   *
   * @throws what reading the file or `make` throws.
   */
  constructor(
    file: string,
    make: (content: Buffer) => T,
    onError: (error: unknown) => void = () => {},
    now: () => number = () => performance.now(),
  ) {
    this.#file = file;
    this.#make = make;
    this.#onError = onError;
    this.#now = now;
    this.#stamp = stamp(file);
    this.#value = make(readFileSync(file));
    this.#checked = now();
  }

  /** The value. It is the same object until the file changes. */
  get value(): T {
    const now = this.#now();
    if (Math.abs(now - this.#checked) >= CHECK_MS) {
      this.#checked = now;
      this.#refresh();
    }
    return this.#value;
  }

  #refresh(): void {
    try {
      const current = stamp(this.#file);
      if (current === this.#stamp) return;
      this.#stamp = current;
      this.#value = this.#make(readFileSync(this.#file));
    } catch (error) {
      this.#onError(error);
    }
  }
}

/** A text that changes when the file is written or replaced, even through a symbolic link. */
function stamp(file: string): string {
  const { mtimeMs, size, ino } = statSync(file);
  return `${mtimeMs}/${size}/${ino}`;
}
