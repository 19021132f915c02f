import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { ConfigError } from '#base/errors/config-error.ts';

/** How often it is written, in milliseconds: what was done since is looked at again. */
const KEPT_EVERY_MS = 1_000;

/** What a migration is of; a mark of another one is not gone on from. */
export interface MarkedWork {
  readonly prefix: string;
  readonly under: string;
  readonly encryptionFile: string;
  /** Of what definitions say about the versions that are stored. */
  readonly definitions: string;
}

/** A file that keeps the key up to which everything is migrated. */
export class MigrationMark {
  /** The last key that is done; undefined at the beginning. */
  readonly after: string | undefined;
  readonly #file: string;
  readonly #work: object;
  #done: string | undefined;
  #keptAt = performance.now();
  #stands = false;

  /** Reads it where there is one. @throws ConfigError where it is of other work, or no mark */
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

  /** Says that everything up to a key is done. */
  done(key: string): void {
    if (this.#stands) return;
    this.#done = key;
    if (performance.now() - this.#keptAt < KEPT_EVERY_MS) return;
    this.keep();
    this.#keptAt = performance.now();
  }

  /** Goes no further: the next key has to be looked at again. */
  stand(): void {
    this.#stands = true;
  }

  /** Writes it. */
  keep(): void {
    if (this.#done === undefined) return;
    writeFileSync(`${this.#file}.part`, `${JSON.stringify({ ...this.#work, after: this.#done })}\n`, { mode: 0o600 });
    renameSync(`${this.#file}.part`, this.#file);
  }

  /** Everything is done. */
  remove(): void {
    rmSync(this.#file, { force: true });
  }
}
