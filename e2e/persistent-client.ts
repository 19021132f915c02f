import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiAnswer } from '#scripts/api-request.ts';
import type { Entry } from './compose-stack.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

/** A client that writes through an entry without pause, and repeats safe requests. */
export interface PersistentClient {
  /** Names of config maps whose creation the server acknowledged, in order. */
  readonly acknowledged: readonly string[];
  /** The longest time between two successes, in milliseconds. */
  readonly longestPause: number;
  /** Attempts that failed. */
  readonly failures: readonly string[];
  /** Violations, such as an acknowledged object that is not found. */
  readonly violations: readonly string[];
  stop(): Promise<void>;
}

/** Creates one config map after the other and reads each of them, on a new connection every time. */
export function startClient(entry: Entry, prefix: string): PersistentClient {
  const acknowledged: string[] = [];
  const failures: string[] = [];
  const violations: string[] = [];
  let running = true;
  let longestPause = 0;
  let lastSuccess = Date.now();

  const success = () => {
    longestPause = Math.max(longestPause, Date.now() - lastSuccess);
    lastSuccess = Date.now();
  };

  async function insist(method: string, path: string, body: unknown, good: readonly number[]): Promise<ApiAnswer> {
    for (;;) {
      try {
        const answer = await entry.request(method, path, body);
        if (good.includes(answer.status)) {
          success();
          return answer;
        }
        failures.push(`${method} ${path}: ${answer.status} ${answer.body.trim()}`);
        if (answer.status < 500 && answer.status !== 429) return answer;
      } catch (error) {
        failures.push(`${method} ${path}: ${error instanceof Error ? error.message : error}`);
      }
      if (!running && Date.now() - lastSuccess > 20_000) throw new Error(`${method} ${path} never succeeded`);
      await sleep(100);
    }
  }

  async function work(): Promise<void> {
    for (let i = 0; running; i++) {
      const name = `${prefix}-${i}`;
      // 409 means that an attempt whose answer was lost may have created it. This also counts as success.
      await insist('POST', MAPS, { metadata: { name }, data: { i: String(i) } }, [201, 409]);
      acknowledged.push(name);
      const read = await insist('GET', `${MAPS}/${name}`, undefined, [200]);
      if (read.status !== 200) violations.push(`${name} was created, but reading it gave ${read.status}`);
    }
  }

  const done = work();
  return {
    acknowledged,
    failures,
    violations,
    get longestPause() {
      return Math.max(longestPause, Date.now() - lastSuccess);
    },
    async stop() {
      running = false;
      await done;
    },
  };
}
