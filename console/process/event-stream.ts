import type { ServerResponse } from 'node:http';
import type { Channel } from './tab.ts';

/** The interval at which a stream without news shows that it is alive, in milliseconds. */
const ALIVE_MS = 15_000;

/** Server-sent events: names and JSON, over one answer that does not end. */
export class EventStream implements Channel {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const alive = setInterval(() => response.write(': alive\n\n'), ALIVE_MS);
    response.once('close', () => clearInterval(alive));
  }

  send(event: string, data: unknown): boolean {
    return this.#response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  drained(then: () => void): void {
    this.#response.once('drain', then);
  }
}
