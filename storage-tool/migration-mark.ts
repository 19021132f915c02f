import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { ConfigError } from '#base/errors/config-error.ts';

/**
 * How often the file is written, in milliseconds. After an interruption, the migration reads the keys of this time
 * again.
 */
const KEPT_EVERY_MS = 1_000;

/** The work to which a mark belongs. A migration does not continue from a mark of other work. */
export interface MarkedWork {
  readonly prefix: string;
  readonly under: string;
  readonly encryptionFile: string;
  /** A digest of what the definitions say about stored versions. */
  readonly definitions: string;
}

/** A file with a key. Everything up to this key is migrated. */
export class MigrationMark {
  /** The last migrated key; undefined at the beginning. */
  readonly after: string | undefined;
  readonly #file: string;
  readonly #work: object;
  #done: string | undefined;
  #keptAt = performance.now();
  #stands = false;

  /**
   * Reads the file if it exists.
   * @throws ConfigError if the mark belongs to other work, or if the file contains no mark
   */
  constructor(file: string, { prefix, under, encryptionFile, definitions }: MarkedWork) {
    const configuration = encryptionFile === '' ? '' : readFileSync(encryptionFile);
    this.#file = file;
    const digest = createHash('sha256').update(configuration).digest('hex');
    this.#work = { prefix, under, configuration: digest, definitions };
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw new ConfigError(`cannot read ${file}: ${(error as Error).message}`);
    }
    let mark: { after?: unknown } | null = null;
    try {
      mark = JSON.parse(text);
    } catch {}
    const { after, ...work } = mark ?? {};
    if (typeof after !== 'string') throw new ConfigError(`${file} is not a mark of migrate`);
    if (JSON.stringify(work) !== JSON.stringify(this.#work))
      throw new ConfigError(
        `${file} is of a migration with another prefix, part or encryption configuration, or definitions store other versions now: remove it to begin again`,
      );
    this.after = this.#done = after;
  }

  /** Records that everything up to a key is migrated. */
  done(key: string): void {
    if (this.#stands) return;
    this.#done = key;
    if (performance.now() - this.#keptAt < KEPT_EVERY_MS) return;
    this.keep();
    this.#keptAt = performance.now();
  }

  /** Keeps the mark at its position: the migration must process the next key again. */
  stand(): void {
    this.#stands = true;
  }

  /** Writes the file. */
  keep(): void {
    if (this.#done === undefined) return;
    writeFileSync(`${this.#file}.part`, `${JSON.stringify({ ...this.#work, after: this.#done })}\n`, { mode: 0o600 });
    renameSync(`${this.#file}.part`, this.#file);
  }

  /** Removes the file, because the migration is complete. */
  remove(): void {
    rmSync(this.#file, { force: true });
  }
}
