import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { CallMessage, CallName, Calls, OutcomeMessage } from './messages.ts';

/** How many of the last characters of the cluster's standard error are kept for messages. */
const KEPT = 10_000;

/** Other programs of this project have the same settings: docs/decisions/glibc-settings.md. */
const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };

/** The error that the cluster's process did not do the requested action. */
export class TestClusterError extends Error {
  override name = 'TestClusterError';
}

/** The process of a cluster. It does not keep the present process alive, and ends with it. */
export class ClusterProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (outcome: Omit<OutcomeMessage, 'id'>) => void>();
  #said = '';
  #last = 0;

  /** @param main the module that the process runs */
  constructor(main: string) {
    // The options of the parent, except those that debuggers and test runners have added.
    this.#child = fork(main, { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env: environment() });
    const { stderr } = this.#child;
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-KEPT);
    });
    this.#child.on('message', ({ id, ...outcome }: OutcomeMessage) => this.#waiting.get(id)?.(outcome));
    this.#child.once('error', (error) => this.#fail(error.message));
    this.#child.once('exit', (code, signal) => this.#fail(`its process ended with ${signal ?? code}`));
    this.#child.unref();
    (stderr as unknown as { unref?(): void } | null)?.unref?.();
    this.#child.channel?.unref();
  }

  /** The id of the process. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** @throws TestClusterError with the message of the cluster */
  call<Name extends CallName>(call: Name, ...args: Parameters<Calls[Name]>): Promise<ReturnType<Calls[Name]>> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      const { channel } = this.#child;
      if (channel === undefined || channel === null) {
        reject(this.#error('it has been stopped'));
        return;
      }
      channel.ref();
      this.#waiting.set(id, ({ result, error }) => {
        this.#waiting.delete(id);
        if (this.#waiting.size === 0) this.#child.channel?.unref();
        if (error === undefined) resolve(result as ReturnType<Calls[Name]>);
        else reject(this.#error(error));
      });
      this.#child.send({ id, call, args } satisfies CallMessage, (error) => {
        if (error !== null) this.#waiting.get(id)?.({ error: error.message });
      });
    });
  }

  /** Resolves when the process has ended. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.ref();
    if (this.#child.connected) this.#child.disconnect();
    await ended;
  }

  #fail(why: string): void {
    const error = this.#said === '' ? why : `${why}:\n${this.#said.trimEnd()}`;
    for (const settle of [...this.#waiting.values()]) settle({ error });
  }

  #error(why: string): TestClusterError {
    return new TestClusterError(`the test cluster: ${why}`);
  }
}

function environment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: _coverage, ...others } = process.env;
  return { ...ALLOCATOR, ...others };
}

/** The module of the cluster's process. In the package it is beside this file, and in this project it is the source. */
export function clusterMain(): string {
  const here = import.meta.filename;
  return here.endsWith('.ts')
    ? path.join(path.dirname(here), 'process/main.ts')
    : path.join(path.dirname(here), '../cluster/main.js');
}
