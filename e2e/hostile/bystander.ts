import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica } from '../replica.ts';

/** The longest wait of another client on a quiet machine, in milliseconds. */
const WAIT_MS = 500;
/**
 * The factor by which the wait may exceed the wait at rest. The wait at rest shows how busy other work keeps the
 * machine.
 */
const TIMES_AT_REST = 40;
const AT_REST_MS = 1_500;

/**
 * The longest turn of the event loop that is allowed, in milliseconds of the processor time of its thread. It is longer
 * on a machine that is slower than the reference machine, or that also does other work (see {@link Pace}).
 */
const TURN_MS = 100;

/**
 * The time for which the bystander continues after an attack, in milliseconds. By then the loop probe has written its
 * file.
 */
const AFTERWARDS_MS = 600;
const PAUSE_MS = 20;

/** The effects of an attack on other clients, all in milliseconds. */
export interface Seen {
  /** The longest wait of another client for an answer. */
  readonly waited: number;
  /** The longest turn of the event loop, in processor time. */
  readonly turn: number;
  /** Processor time of the server, of all its threads. */
  readonly processor: number;
}

/** Acts as another client, which reads an object and checks the server's health during an attack. */
export class Bystander {
  readonly #replica: Replica;
  readonly #loopProbe: string;
  readonly #limit: number;

  private constructor(replica: Replica, loopProbe: string, limit: number) {
    this.#replica = replica;
    this.#loopProbe = loopProbe;
    this.#limit = limit;
  }

  /**
   * Makes a bystander, and first measures its wait on an idle replica. `loopProbe` is the file that the replica got at
   * its start. The caller must send no other requests to the replica until this resolves.
   */
  static async beside(replica: Replica, loopProbe: string): Promise<Bystander> {
    const atRest = new Asking(replica);
    await sleep(AT_REST_MS);
    return new Bystander(replica, loopProbe, WAIT_MS + TIMES_AT_REST * (await atRest.end()));
  }

  /**
   * Sends requests while `work` runs and prints the figures. Asserts that every answer arrived in time with a good
   * status, and that no turn of the event loop was longer than `turnMs`.
   */
  async during(what: string, work: () => Promise<unknown>, turnMs = TURN_MS): Promise<Seen> {
    const began = Date.now();
    const usedBefore = processorTime(this.#replica.pid);
    const asking = new Asking(this.#replica);
    const pace = new Pace();
    let waited: number;
    let slowness: number;
    try {
      await work();
    } finally {
      slowness = pace.end();
      await sleep(AFTERWARDS_MS);
      waited = await asking.end();
    }
    const mostTurn = turnMs * slowness;
    const processor = processorTime(this.#replica.pid) - usedBefore;
    const turn = longestTurn(this.#loopProbe, began);
    console.log(
      `      ${what}: others waited ${waited.toFixed(0)} ms, the longest turn took ${turn.toFixed(0)} of ${mostTurn.toFixed(0)} ms, all ${processor} ms`,
    );
    assert.ok(waited < this.#limit, `others waited ${waited} ms, of ${this.#limit}`);
    assert.ok(turn < mostTurn, `a turn of the event loop took ${turn} ms of processor time, of ${mostTurn}`);
    return { waited, turn, processor };
  }
}

/**
 * Measures how slow the machine is at the moment. It does the same small work again and again, and compares its
 * processor time with the time that the work takes on the machine for which {@link TURN_MS} was chosen. A processor
 * that shares caches with others needs more time for the same work.
 */
class Pace {
  /** The time of the work on that machine, in milliseconds. */
  static readonly #USUAL_MS = 0.8;
  static readonly #EVERY_MS = 20;
  static readonly #TEXT = JSON.stringify(
    Array.from({ length: 1_500 }, (_, n) => ({ name: `n${n}`, values: [n, `${n}`] })),
  );

  /** The largest factor for a limit. A limit that is longer would find no fault. */
  static readonly #MOST = 2.5;

  readonly #samples: number[] = [];
  readonly #timer = setInterval(() => this.#sample(), Pace.#EVERY_MS);

  /** Ends the samples. Returns the factor by which the work took longer than usual, which is at least 1. */
  end(): number {
    clearInterval(this.#timer);
    this.#sample();
    // It is the median, because collections of garbage make some samples long.
    const median = this.#samples.sort((a, b) => a - b)[Math.floor(this.#samples.length / 2)]!;
    return Math.min(Math.max(1, median / Pace.#USUAL_MS), Pace.#MOST);
  }

  #sample(): void {
    const before = process.threadCpuUsage();
    JSON.stringify(JSON.parse(Pace.#TEXT));
    const { user, system } = process.threadCpuUsage(before);
    this.#samples.push((user + system) / 1000);
  }
}

/** Sends requests in a loop, on a reused connection and on new ones, until the end. */
class Asking {
  #stopped = false;
  #worst = 0;
  readonly #running: Promise<unknown>;

  constructor(replica: Replica) {
    const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => replica.pki.read(name));
    const common = { host: '127.0.0.1', port: replica.port, servername: 'localhost', ca, cert, key };
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
    this.#running = Promise.all([
      this.#ask({ ...common, path: '/api/v1/namespaces/default', agent }),
      this.#ask({ ...common, path: '/readyz', agent: false }),
      this.#ask({ ...common, path: '/livez', agent: false }),
    ]).finally(() => agent.destroy());
    // If a request fails, `end` throws the error.
    this.#running.catch(() => {});
  }

  /** The longest wait, in milliseconds. @throws Error if an answer was missing or wrong */
  async end(): Promise<number> {
    this.#stopped = true;
    await this.#running;
    return this.#worst;
  }

  async #ask(options: https.RequestOptions): Promise<void> {
    while (!this.#stopped) {
      const started = performance.now();
      assert.equal(await statusOf(options), 200, `another client asks for ${options.path}`);
      this.#worst = Math.max(this.#worst, performance.now() - started);
      await sleep(PAUSE_MS);
    }
  }
}

function statusOf(options: https.RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = https.get(options, (response) => {
      response.resume().once('error', reject);
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    request.once('error', reject);
  });
}

/** The longest turn since a time (of `Date.now()`), if it is among the longest of the process. Otherwise 0. */
function longestTurn(loopProbe: string, since: number): number {
  if (!existsSync(loopProbe)) return 0;
  const noted: readonly { readonly ms: number; readonly at: number }[] = JSON.parse(readFileSync(loopProbe, 'utf8'));
  return Math.max(0, ...noted.filter(({ at }) => at >= since).map(({ ms }) => ms));
}

/** The processor time that all threads of a process have used, in milliseconds. */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  // These are utime and stime, in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
