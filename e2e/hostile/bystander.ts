import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica } from '../replica.ts';

/**
 * How long others may wait, in milliseconds. Half a second is aimed at; the attackers have the same two cores, so what is
 * printed tells more than what is asserted.
 */
const PATIENCE = 3_000;
const PATIENCE_BUSY = 10_000;

/** The longest that the event loop may stand, in processor time: what one look at a body of the largest size takes. */
const LONGEST_TURN = 500;

/** Somebody who reads an object and is asked for readiness, while others do what they should not. */
export class Bystander {
  readonly #replica: Replica;
  readonly #loopProbe: string;
  readonly #request: https.RequestOptions;
  #stopped = false;
  #running: Promise<unknown> | undefined;
  #began = 0;
  #asked = 0;
  #worst = 0;
  readonly #failed: string[] = [];

  /** `loopProbe` is the file that the replica was started with. */
  constructor(replica: Replica, loopProbe: string) {
    this.#replica = replica;
    this.#loopProbe = loopProbe;
    const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => replica.pki.read(name));
    this.#request = { host: '127.0.0.1', port: replica.port, servername: 'localhost', ca, cert, key };
  }

  start(): void {
    this.#stopped = false;
    [this.#asked, this.#worst, this.#began] = [0, 0, Date.now()];
    this.#failed.length = 0;
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async (options: https.RequestOptions) => {
      while (!this.#stopped) {
        const started = performance.now();
        const status = await get({ ...this.#request, ...options });
        this.#worst = Math.max(this.#worst, performance.now() - started);
        this.#asked++;
        if (status !== 200) this.#failed.push(`${options.path}: ${status}`);
        await sleep(20);
      }
    };
    this.#running = Promise.all([
      ask({ path: '/api/v1/namespaces/default', agent }),
      ask({ path: '/readyz', agent: false }),
      ask({ path: '/livez', agent: false }),
    ]).finally(() => agent.destroy());
    this.#running.catch(() => {});
  }

  /** Ends, and asserts that it was served: in time, with the event loop turning, and by a server that is well. */
  async stop(): Promise<void> {
    await sleep(500);
    this.#stopped = true;
    await this.#running;
    const turns = JSON.parse(readFileSync(this.#loopProbe, 'utf8')) as { readonly ms: number; readonly at: number }[];
    const longest = Math.max(0, ...turns.filter(({ at }) => at >= this.#began).map(({ ms }) => ms));
    const busy = (loadavg()[0] ?? 0) > 3;
    console.log(`      others waited ${this.#worst.toFixed(0)} ms, the longest turn took ${longest.toFixed(0)} ms`);
    assert.ok(this.#asked > 5, 'others were served');
    assert.deepEqual(this.#failed, []);
    assert.ok(this.#worst < (busy ? PATIENCE_BUSY : PATIENCE), `others waited ${this.#worst} ms`);
    assert.ok(longest < LONGEST_TURN, `a turn of the event loop took ${longest} ms of processor time`);
    assert.equal((await this.#replica.request('GET', '/readyz')).status, 200);
  }
}

function get(options: https.RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = https.get(options, (response) => {
      response.resume().once('error', reject);
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    request.once('error', reject);
  });
}

/** Processor time that a process has taken so far, in milliseconds. */
export function processorTime(pid: number): number {
  const [, , ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) |[ ]/);
  // utime and stime, in hundredths of a second
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
