import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

/** A client with normal behaviour, on a connection that it reuses. It sends a request now and then. */
export class Neighbour {
  probed = 0;
  /** The number of answers with 429, which must not occur. */
  refused = 0;
  /** The number of answers with 503. On a machine that is too small for this test, etcd may answer too late. */
  failed = 0;
  readonly #name: string;
  readonly #request: () => https.RequestOptions & { readonly body?: string };
  readonly #latencies = new Map<string, number[]>();
  readonly #agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  #phase = 'nothing else happens';
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(name: string, request: () => https.RequestOptions & { readonly body?: string }) {
    this.#name = name;
    this.#request = request;
  }

  set phase(phase: string) {
    this.#phase = phase;
  }

  start(everyMs: number): void {
    this.#running = (async () => {
      while (!this.#stopped) {
        const [phase, began] = [this.#phase, performance.now()];
        const status = await this.#ask().catch(() => 0);
        const took = performance.now() - began;
        const known = this.#latencies.get(phase);
        if (known === undefined) this.#latencies.set(phase, [took]);
        else known.push(took);
        this.probed++;
        if (status === 429) this.refused++;
        else if (status !== 200) this.failed++;
        await sleep(everyMs);
      }
    })();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    this.#agent.destroy();
  }

  /** The durations of its requests in a phase. They are the median and the longest, in milliseconds. */
  report(): string[] {
    return [...this.#latencies].map(([phase, all]) => {
      const sorted = all.toSorted((a, b) => a - b);
      const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)]!.toFixed(0);
      return `${this.#name} while ${phase}: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, worst ${at(1)} ms, ${all.length} times`;
    });
  }

  #ask(): Promise<number> {
    return new Promise((resolve, reject) => {
      const { body, ...options } = this.#request();
      const request = https.request({ ...options, agent: this.#agent }, (response) => {
        response.resume().once('error', reject);
        response.once('end', () => resolve(response.statusCode!));
      });
      request.once('error', reject);
      request.end(body);
    });
  }
}
