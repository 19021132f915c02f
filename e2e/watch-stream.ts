import https from 'node:https';
import type { Replica } from './replica.ts';

/** A watch event as JSON. */
export interface WatchEvent {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name?: string; readonly resourceVersion?: string } };
}

/** An open watch, read event by event. */
export interface WatchStream {
  /**
   * Resolves to the next event.
   *
   * @param patienceMs the longest wait, by default 10 s
   * @throws Error after this time without an event, or if the stream has ended
   */
  next(patienceMs?: number): Promise<WatchEvent>;
  close(): void;
}

/** Opens a watch. Resolves when the server has answered. */
export function openWatch({ pki, port }: Pick<Replica, 'pki' | 'port'>, path: string): Promise<WatchStream> {
  return new Promise((resolve, reject) => {
    const request = https.get(
      {
        host: '127.0.0.1',
        port,
        path,
        agent: false,
        ca: pki.read('ca.crt'),
        cert: pki.read('admin.crt'),
        key: pki.read('admin.key'),
      },
      (response) => {
        if (response.statusCode !== 200) {
          request.destroy();
          reject(new Error(`GET ${path} answered ${response.statusCode}`));
          return;
        }
        const events = lines(response.setEncoding('utf8'));
        resolve({
          next: async (patienceMs = 10_000) => {
            const late = AbortSignal.timeout(patienceMs);
            const complaint = `no event on ${path} within ${patienceMs} ms`;
            const result = await Promise.race([events.next(), failOn(late, complaint)]);
            if (result.done) throw new Error(`the watch ${path} has ended`);
            return JSON.parse(result.value) as WatchEvent;
          },
          close: () => request.destroy(),
        });
      },
    );
    request.on('error', reject);
  });
}

async function* lines(source: AsyncIterable<string>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const chunk of source) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    yield* parts.filter((line) => line !== '');
  }
}

function failOn(signal: AbortSignal, message: string): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error(message)), { once: true }));
}
