import { setImmediate as nextTurn } from 'node:timers/promises';
import { TimeSlice } from '#base/time/time-slice.ts';
import { OutcomeUnknownError, type Revision, StoreFullError, StoreUnavailableError } from '#storage/object-store.ts';
import type { Disk } from './disk.ts';
import { NO_ROOM, storeError } from './failure.ts';
import type { Leases } from './leases.ts';
import type { ChangeRow } from './rows.ts';
import type { Statements } from './statements.ts';
import { Transaction } from './transaction.ts';

/** The work of one caller, which is done as a whole or not at all. */
interface Job {
  readonly run: (transaction: Transaction) => unknown;
  /** Whether the job frees space. Such a job is also done on a full disk. */
  readonly frees: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The approximate limit of bytes in one commit. With it, no caller waits for a second because many others write at
 * once.
 */
const MOST_BYTES = 4 * 1024 * 1024;

export interface CommitQueueParts {
  readonly statements: Statements;
  readonly leases: Leases;
  readonly disk: Disk;
  /** The first revision. */
  readonly revision: Revision;
  /** Gets durable changes, in order, before the answers to their writers. */
  readonly publish: (changes: readonly ChangeRow[], revision: Revision) => void;
  readonly onTrouble: (message: string) => void;
}

/**
 * Commits in groups. Writes that wait in one turn of the event loop, or that arrive while the previous group is synced,
 * become one transaction of the database with one sync. Each caller is answered after that sync.
 */
export class CommitQueue {
  /** The revision of the last commit, which may not be durable yet. */
  revision: Revision;
  readonly #parts: CommitQueueParts;
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;
  #syncing: Promise<void> | undefined;
  /** The reason why no write is possible any more. */
  #broken: string | undefined;
  #fullReported = false;

  constructor(parts: CommitQueueParts) {
    this.#parts = parts;
    this.revision = parts.revision;
  }

  get full(): boolean {
    return this.#parts.disk.full;
  }

  /**
   * Does a job in a transaction. Resolves to the result of the job when its changes are durable.
   *
   * @throws StoreUnavailableError (nothing was written; StoreFullError if there is no space), OutcomeUnknownError
   */
  do<T>(run: (transaction: Transaction) => T, frees = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#broken !== undefined) return reject(new StoreUnavailableError(this.#broken));
      this.#waiting.push({ run, frees, resolve: resolve as (result: unknown) => void, reject });
      this.#running ??= this.#work();
    });
  }

  /**
   * Resolves when all data that can be read now is durable: a power failure must not remove data that a client has
   * seen.
   *
   * @throws StoreUnavailableError if it is not known whether the data is durable
   */
  async durable(): Promise<void> {
    await this.#syncing;
    this.usable();
  }

  /** @throws StoreUnavailableError if the store is closed or broken */
  usable(): void {
    if (this.#broken !== undefined) throw new StoreUnavailableError(this.#broken);
  }

  /** Resolves when no job waits any more. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Refuses every call from now on. */
  refuse(why: string): void {
    this.#broken ??= why;
  }

  async #work(): Promise<void> {
    await nextTurn();
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      const done = this.#commit(group);
      const left = group.slice(done.jobs);
      this.#waiting = left.length === 0 ? this.#waiting : [...left, ...this.#waiting];
      if (done.bytes > 0) await this.#sync(done);
      for (const answer of done.answers) answer();
      if (done.bytes === 0 && this.#waiting.length > 0) await nextTurn();
    }
    this.#running = undefined;
  }

  async #sync(done: Committed): Promise<void> {
    const syncing = this.#parts.disk.sync(done.bytes);
    this.#syncing = syncing.catch(() => {});
    try {
      await syncing;
      this.#parts.publish(done.changes, done.revision);
    } catch (error) {
      // From here on the content of the disk is unknown. Only a new start reads it.
      this.#broken = `the disk of the store failed, and the server must be started again: ${(error as Error).message}`;
      this.#parts.onTrouble(this.#broken);
      const unknown = new OutcomeUnknownError(this.#broken);
      for (const { reject } of done.members) reject(unknown);
      for (const { reject } of this.#waiting.splice(0)) reject(new StoreUnavailableError(this.#broken));
    } finally {
      this.#syncing = undefined;
    }
  }

  /** Commits the first jobs of a group, as many as fit in a slice of time. */
  #commit(group: readonly Job[]): Committed {
    const { statements, leases, disk } = this.#parts;
    const transaction = new Transaction(statements, leases, this.revision);
    const answers: (() => void)[] = [];
    const full = disk.full;
    if (!full) this.#reportRoom();
    const slice = new TimeSlice();
    let jobs = 0;
    try {
      statements.begin.run();
      for (const job of group) {
        jobs++;
        if (full && !job.frees) {
          answers.push(() => job.reject(new StoreFullError(NO_ROOM)));
          continue;
        }
        const result = job.run(transaction);
        answers.push(() => job.resolve(result));
        if (slice.over || transaction.bytes > MOST_BYTES) break;
      }
      statements.commit.run();
    } catch (error) {
      this.#rollBack();
      if (jobs > 1) return this.#oneByOne(group);
      return this.#failed(group[0]!, error);
    }
    this.revision = transaction.revision;
    const { changes, revision, bytes } = transaction;
    return { jobs, members: group.slice(0, jobs), answers, changes, revision, bytes };
  }

  /** Called after a failure in a group. It commits the first job alone, which then succeeds or fails by itself. */
  #oneByOne([first]: readonly Job[]): Committed {
    return this.#commit([first!]);
  }

  #failed(job: Job, cause: unknown): Committed {
    const { disk } = this.#parts;
    const error = storeError(cause);
    const nothing = { jobs: 1, members: [job], changes: [], revision: this.revision, bytes: 0 };
    if (error instanceof StoreFullError) {
      const hadReserve = !disk.full;
      disk.makeRoom();
      this.#reportFull();
      if (hadReserve && job.frees) return this.#commit([job]);
    } else if (error instanceof StoreUnavailableError) {
      this.#parts.onTrouble(error.message);
    }
    return { ...nothing, answers: [() => job.reject(error)] };
  }

  #rollBack(): void {
    const { statements, leases } = this.#parts;
    leases.forget();
    try {
      statements.rollback.run();
    } catch {
      // SQLite has already rolled back, or the transaction did not begin.
    }
  }

  #reportFull(): void {
    if (this.#fullReported) return;
    this.#fullReported = true;
    this.#parts.onTrouble(NO_ROOM);
  }

  #reportRoom(): void {
    if (!this.#fullReported) return;
    this.#fullReported = false;
    this.#parts.onTrouble('there is room on the disk of the store again');
  }
}

/** The result of a commit, and the callers that are answered when it is durable. */
interface Committed {
  /** The number of jobs of the group that it contains. */
  readonly jobs: number;
  readonly members: readonly Job[];
  readonly answers: readonly (() => void)[];
  readonly changes: readonly ChangeRow[];
  readonly revision: Revision;
  readonly bytes: number;
}
