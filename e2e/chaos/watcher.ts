import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope, WatchEvent, WatchOperation } from './checker/history.ts';
import { NoAnswer } from './client.ts';
import { type ApiLike, scopePath, seenOf } from './collections.ts';
import type { WorkerContext } from './workload.ts';

/** The time after which an open watch has had enough time to show all changes, in milliseconds. */
const CHANCE = 3000;

/** The end of the run, which sets what a watcher must have seen. */
export interface Settling {
  /** The last revision. It is set when all writes have ended. */
  reached: number | undefined;
}

/**
 * A client that lists, watches from the listed version, and resumes from its last event at any replica, until it has
 * settled.
 */
export class Watcher {
  readonly #context: WorkerContext;
  readonly #scope: Scope;
  readonly #settling: Settling;
  /** The version to continue from. 0 means to list first. */
  #position = 0;

  constructor(context: WorkerContext, scope: Scope, settling: Settling) {
    this.#context = context;
    this.#scope = scope;
    this.#settling = settling;
  }

  /** Its name and its progress. */
  get description(): string {
    return `${this.#context.client.name} of ${this.#scope.prefix}${this.#scope.color ?? ''}, at ${this.#position},`;
  }

  /** Whether it has seen everything that it must see. */
  get settled(): boolean {
    const { reached } = this.#settling;
    return reached !== undefined && this.#position >= reached;
  }

  async run(): Promise<void> {
    const { random, stop, journal } = this.#context;
    while (!stop.aborted) {
      if (this.#position === 0) await this.#list();
      else await this.#watch();
      // Some watchers continue late, when the history no longer has their version.
      const late = this.#settling.reached === undefined && random.chance(0.15);
      if (late) journal.count('late resumes');
      await sleep(late ? random.between(3000, 12_000) : random.between(0, 200), undefined, { signal: stop }).catch(
        () => {},
      );
    }
  }

  async #list(): Promise<void> {
    const { client, random, ports, journal } = this.#context;
    const index = random.between(0, ports.length - 1);
    try {
      const { status, body, called, returned } = await client.call(ports[index]!, 'GET', scopePath(this.#scope));
      if (status !== 200) return;
      const revision = Number(body.metadata.resourceVersion);
      const items = body.items.map((item: ApiLike) => this.#seen(item));
      const by = `${client.name} → replica ${index}`;
      const asked = { kind: 'recent' as const };
      journal.record({ kind: 'list', by, called, returned, scope: this.#scope, freshness: asked, revision, items });
      this.#position = revision;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
    }
  }

  async #watch(): Promise<void> {
    const { client, random, ports, journal, stop } = this.#context;
    const index = random.between(0, ports.length - 1);
    const start = this.#position;
    const events: WatchEvent[] = [];
    let gone = false;
    const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=${random.between(3, 20)}&resourceVersion=${start}`;
    const called = performance.now();
    // Some watchers close their connection themselves, in the middle of the stream.
    const leaves = this.#settling.reached === undefined && random.chance(0.5);
    const impatient = leaves ? AbortSignal.timeout(random.between(500, 8000)) : undefined;
    const status = await client.watch(
      ports[index]!,
      `${scopePath(this.#scope)}${query}`,
      (event, at) => {
        const { type, object } = event as { type: string; object: ApiLike & { code?: number } };
        if (type === 'ERROR') {
          gone = true;
          return;
        }
        const revision = Number(object.metadata.resourceVersion);
        this.#position = revision;
        if (type === 'BOOKMARK') events.push({ type, at, revision });
        else events.push({ type: type as 'ADDED', at, ...this.#seen(object) });
      },
      impatient === undefined ? stop : AbortSignal.any([stop, impatient]),
    );
    journal.count(status === 200 ? 'watches' : 'watches refused');
    journal.count('watch events', events.length);
    if (gone) {
      journal.count('watches gone');
      this.#position = 0;
    }
    if (status !== 200) return;
    const { reached } = this.#settling;
    const returned = performance.now();
    const settled = stop.aborted && reached !== undefined && returned - called > CHANCE;
    const end: WatchOperation['end'] = gone
      ? { kind: 'gone' }
      : settled
        ? { kind: 'settled', reached }
        : { kind: 'ended' };
    const by = `${client.name} → replica ${index}`;
    const operation = { scope: this.#scope, start, events, end };
    journal.record({ kind: 'watch', by, called, returned, ...operation });
  }

  #seen(object: ApiLike) {
    return seenOf(this.#scope.prefix.slice(0, this.#scope.prefix.indexOf('/')), object);
  }
}
