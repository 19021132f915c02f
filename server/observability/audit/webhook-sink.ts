import { setTimeout as sleep } from 'node:timers/promises';
import { timerMs } from '#base/time/longest-timer.ts';
import type { LoadedConnection } from '#program/connection/loaded-connection.ts';
import type { CountedCall } from '../../outbound/call-metrics.ts';
import { type HttpsClient, httpsClient } from '../../outbound/https-request.ts';
import { authorizationOf, trustOf } from '../../outbound/webhook-connection.ts';
import type { AuditEntry } from './audit-event.ts';
import type { AuditSink } from './backend.ts';

export interface WebhookSinkOptions {
  /** The apiVersion of the sent lists. */
  readonly apiVersion: string;
  /** The waiting time before the second attempt, in milliseconds. Each further one is half as long again. */
  readonly initialBackoffMs: number;
  /** The time limit of one attempt, in milliseconds. */
  readonly timeoutMs?: number;
  readonly counted?: CountedCall;
}

const ATTEMPTS = 5;
const BACKOFF_GROWTH = 1.5;
const JITTER = 0.2;
const TIMEOUT_MS = 30_000;
/** How long after the start of shutdown unsent events are dropped, in milliseconds. */
const LAST_MS = 5000;

/** Posts lists of events to the server of a connection file. It repeats this until the server has accepted them. */
export class WebhookSink implements AuditSink {
  readonly #url: URL;
  readonly #connection: LoadedConnection;
  readonly #options: WebhookSinkOptions;
  readonly #post: HttpsClient;
  readonly #stopping = new AbortController();
  readonly #givenUp = new AbortController();

  constructor(connection: LoadedConnection, options: WebhookSinkOptions) {
    this.#url = new URL(connection.server);
    this.#connection = connection;
    this.#options = options;
    this.#post = httpsClient(trustOf(connection), options.counted, connection.proxyUrl);
  }

  async send(entries: readonly AuditEntry[]): Promise<void> {
    const items = entries.map(({ json }) => json).join(',');
    const body = `{"kind":"EventList","apiVersion":"${this.#options.apiVersion}","metadata":{},"items":[${items}]}`;
    const { signal } = this.#stopping;
    let wait = this.#options.initialBackoffMs;
    for (let attempt = 1; ; attempt++, wait *= BACKOFF_GROWTH) {
      const stopping = signal.aborted;
      try {
        return await this.#attempt(body);
      } catch (error) {
        // A failure during shutdown was the last attempt.
        if (attempt >= ATTEMPTS || stopping) throw error;
      }
      await sleep(timerMs(wait * (1 + Math.random() * JITTER)), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    setTimeout(() => this.#givenUp.abort(), LAST_MS).unref();
  }

  async #attempt(body: string): Promise<void> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const { signal } = this.#givenUp;
    signal.throwIfAborted();
    const authorization = await authorizationOf(this.#connection);
    const headers = {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      ...(authorization !== undefined && { Authorization: authorization }),
    };
    const { status } = await this.#post({ url: this.#url, method: 'POST', headers, body, timeoutMs, signal });
    if (status < 200 || status >= 300) throw new Error(`${this.#url.origin} answers ${status}`);
  }
}
