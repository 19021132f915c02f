import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiAnswer, apiRequest } from '#scripts/api-request.ts';
import type { Pki } from '#scripts/pki.ts';
import { type Follower, followWithOurs, followWithTheirs, type Shown } from './follower.ts';
import { Noticed } from './noticed.ts';

const NAMESPACE = 'default';
export const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;

/** The objects that all followers follow. */
const FOLLOWED = 'followed';

/** The pause between two requests of a client, in milliseconds. */
const PAUSE_MS = 20;

/** The time for which a client waits for an answer, in milliseconds. */
const PATIENCE_MS = 4000;

/** The longest time after the repair of all faults until clients have the stored state, in milliseconds. */
const CATCH_UP_MS = 60_000;

/** The newest change that a follower has seen, and the time from which on it lacks a later change. */
class Behind {
  /**
   * The longest time from the answer to a write until the event of that write or a later one arrived, in milliseconds.
   */
  longest = 0;
  readonly #newest = new Map<string, number>();
  readonly #sawBack: string[];
  #told = 0;

  constructor(sawBack: string[]) {
    this.#sawBack = sawBack;
  }

  take({ metadata = {}, data }: Shown, writtenAt: ReadonlyMap<number, number>): void {
    const { name = '', resourceVersion } = metadata;
    const revision = Number(resourceVersion);
    const before = this.#newest.get(name) ?? 0;
    if (revision < before) this.#sawBack.push(`${name} at ${revision} after ${before}`);
    this.#newest.set(name, revision);
    if (name !== FOLLOWED) return;
    const n = Number(data?.['n']);
    for (let one = this.#told + 1; one <= n; one++) {
      const at = writtenAt.get(one);
      if (at !== undefined) this.longest = Math.max(this.longest, performance.now() - at);
    }
    this.#told = Math.max(this.#told, n);
  }
}

/**
 * Clients that continuously write, read and follow through one address. They try again after every error, and record
 * how long no attempt succeeded.
 */
export class Clients {
  readonly writes = new Noticed();
  readonly reads = new Noticed();
  /**
   * Observations that must never happen: versions of an object that go back, and reads that lack an acknowledged write.
   */
  readonly violations: string[] = [];
  /** Config maps whose creation a replica acknowledged, by name. */
  readonly acknowledged = new Map<string, string>();
  readonly #pki: Pki;
  readonly #port: number;
  readonly #writtenAt = new Map<number, number>();
  readonly #followers: Follower[] = [];
  #behind: Behind[] = [];
  #listsBefore = 0;
  #n = 0;
  /** Acknowledged numbers need not exceed this number any more, because the store was restored from a backup. */
  #floor = 0;
  #epoch = 0;
  #underWay = 0;
  #pauses: Promise<void> | undefined;
  #running = true;
  #work: Promise<unknown> = Promise.resolve();

  /** @param port the one port of this machine that all clients use */
  constructor(pki: Pki, port: number) {
    this.#pki = pki;
    this.#port = port;
  }

  /** Starts the clients, with `followers` of each library. */
  async start(followers = 2): Promise<void> {
    const made = await this.request('POST', MAPS, { metadata: { name: FOLLOWED }, data: { n: '0' } });
    assert.equal(made.status, 201, made.body);
    for (let i = 0; i < 2 * followers; i++) {
      const behind = new Behind(this.violations);
      this.#behind.push(behind);
      const told = (object: Shown): void => behind.take(object, this.#writtenAt);
      const follow = i % 2 === 0 ? followWithTheirs : followWithOurs;
      this.#followers.push(await follow(this.#pki, this.#port, i % 2 === 0 ? MAPS : NAMESPACE, told));
    }
    this.#work = Promise.all([this.#create(), this.#update(), this.#read()]);
  }

  request(method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    return apiRequest(this.#pki, this.#port, method, path, body, PATIENCE_MS);
  }

  /** Starts to record what the clients notice. */
  begin(): void {
    this.writes.begin();
    this.reads.begin();
    for (const behind of this.#behind) behind.longest = 0;
    this.#listsBefore = this.#lists;
  }

  /** Pauses all clients until `during` has ended, and forgets the objects acknowledged before. */
  async forget(during: () => Promise<void>): Promise<void> {
    let goOn = (): void => {};
    this.#pauses = new Promise((resolve) => (goOn = resolve));
    try {
      while (this.#underWay > 0) await sleep(5);
      await during();
      this.#epoch++;
      this.#floor = 0;
      this.acknowledged.clear();
    } finally {
      this.#pauses = undefined;
      goOn();
    }
  }

  /**
   * Waits until all clients have the stored state, and returns their observations since {@link begin}. Fails if they do
   * not get that state.
   */
  async recovered(drill: string): Promise<void> {
    const giveUpAt = Date.now() + CATCH_UP_MS;
    // One more write makes sure that every client gets an event.
    const after = this.#n + 2;
    const reads = this.reads.successes;
    while (this.#floor < after) await this.#wait(giveUpAt, 'writes do not go on');
    while (this.reads.successes === reads) await this.#wait(giveUpAt, 'reads do not go on');
    let different = 'not compared yet';
    while (different !== '') {
      await this.#wait(giveUpAt, `followers do not catch up: ${different}`);
      different = await this.#difference();
    }
    const behind = Math.max(...this.#behind.map(({ longest }) => longest));
    console.log(
      `      ${drill}: no write for ${this.writes}, no read for ${this.reads}, ` +
        `informers ${(behind / 1000).toFixed(1)} s behind at the most; ${this.relists} lists again`,
    );
  }

  /** The number of times since {@link begin} that a follower listed everything again. */
  get relists(): number {
    return this.#lists - this.#listsBefore;
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all([this.#work, ...this.#followers.map((follower) => follower.stop())]);
  }

  get #lists(): number {
    return this.#followers.reduce((sum, { lists }) => sum + (lists() || 0), 0);
  }

  async #wait(giveUpAt: number, why: string): Promise<void> {
    if (Date.now() > giveUpAt) throw new Error(why);
    await sleep(50);
  }

  /** The difference between a follower's state and the server's. It is empty if there is none. */
  async #difference(): Promise<string> {
    const { status, body } = await this.request('GET', MAPS).catch((error: Error) => ({
      status: 0,
      body: error.message,
    }));
    if (status !== 200) return `the list gets ${status}`;
    const names = (items: Iterable<Shown>): string =>
      [...items]
        .map(({ metadata }) => `${metadata?.name} ${metadata?.uid}`)
        .sort()
        .join();
    const { items } = JSON.parse(body) as { items: Shown[] };
    // This ignores objects that clients are creating at the moment.
    const settled = items.filter(
      ({ metadata }) => metadata?.name === FOLLOWED || this.acknowledged.has(metadata?.name ?? ''),
    );
    const expected = names(settled);
    for (const { name, objects } of this.#followers) {
      const known = new Set(settled.map(({ metadata }) => metadata?.name));
      const has = [...objects()];
      if (names(has.filter(({ metadata }) => known.has(metadata?.name))) !== expected) return `${name} lacks something`;
      const extra = has.filter(({ metadata }) => !items.some((item) => item.metadata?.uid === metadata?.uid));
      // One or two objects may be newer than the list.
      if (extra.length > 5) return `${name} has ${extra.length} that are gone`;
    }
    return '';
  }

  /** Sends a request of a client that pauses during `forget`. */
  async #ask(method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    while (this.#pauses !== undefined) await this.#pauses;
    this.#underWay++;
    try {
      return await this.request(method, path, body);
    } finally {
      this.#underWay--;
    }
  }

  async #insist(method: string, path: string, body: unknown, good: readonly number[]) {
    while (this.#running) {
      let why: string;
      try {
        const answer = await this.#ask(method, path, body);
        if (good.includes(answer.status)) {
          this.writes.success();
          return { ...answer, epoch: this.#epoch };
        }
        why = String(answer.status);
      } catch (error) {
        why = (error as NodeJS.ErrnoException).code ?? 'no answer';
      }
      this.writes.failure(why);
      await sleep(100);
    }
    return undefined;
  }

  async #create(): Promise<void> {
    for (let i = 0; this.#running; i++) {
      const name = `made-${i}`;
      const answer = await this.#insist('POST', MAPS, { metadata: { name } }, [201, 409]);
      if (answer?.status === 201 && answer.epoch === this.#epoch)
        this.acknowledged.set(name, JSON.parse(answer.body).metadata.uid);
      await sleep(PAUSE_MS);
    }
  }

  async #update(): Promise<void> {
    while (this.#running) {
      const n = ++this.#n;
      const metadata = { name: FOLLOWED };
      const map = { metadata, data: { n: String(n) } };
      let answer = await this.#insist('PUT', `${MAPS}/${FOLLOWED}`, map, [200, 404]);
      // All objects were lost.
      if (answer?.status === 404) answer = await this.#insist('POST', MAPS, map, [201]);
      if (answer !== undefined && answer.epoch === this.#epoch) {
        this.#writtenAt.set(n, performance.now());
        this.#floor = n;
      }
      await sleep(PAUSE_MS);
    }
  }

  async #read(): Promise<void> {
    while (this.#running) {
      const [least, epoch] = [this.#floor, this.#epoch];
      try {
        const { status, body } = await this.#ask('GET', `${MAPS}/${FOLLOWED}`);
        if (status === 200) {
          this.reads.success();
          const n = Number(JSON.parse(body).data.n);
          if (n < least && epoch === this.#epoch) this.violations.push(`a read shows ${n} after ${least} was written`);
        } else this.reads.failure(String(status));
      } catch (error) {
        this.reads.failure((error as NodeJS.ErrnoException).code ?? 'no answer');
      }
      await sleep(PAUSE_MS);
    }
  }
}
