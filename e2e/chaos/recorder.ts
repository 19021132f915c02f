import { setTimeout as sleep } from 'node:timers/promises';
import { keyOfValue, openValue } from '../encryption-keys.ts';
import type { Change, Value } from './checker/history.ts';

/** The prefix of etcd keys. */
export const PREFIX = '/registry/';

/** Etcd's JSON in the form of its gateway. 64-bit numbers are strings, bytes are base64, and zero is omitted. */
interface KeyValue {
  readonly key: string;
  readonly value?: string;
  readonly mod_revision: string;
  readonly lease?: string;
}

interface WatchMessage {
  readonly result?: {
    readonly header: { readonly revision: string };
    readonly canceled?: boolean;
    readonly compact_revision?: string;
    readonly events?: readonly { readonly type?: string; readonly kv: KeyValue; readonly prev_kv?: KeyValue }[];
  };
}

/**
 * Records all changes in etcd independently of the product. It uses a watch over the JSON gateway of etcd. If a member
 * fails, it continues on another one.
 */
export class Recorder {
  readonly changes: Change[] = [];
  readonly #endpoints: readonly string[];
  readonly #prefix: string;
  readonly #keyOf: (stored: string) => string | undefined;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #revision: number;
  #failure: Error | undefined;

  /** Records keys below `prefix` from `revision` on. `keyOf` renames a key without the prefix. */
  constructor(
    endpoints: readonly string[],
    prefix: string,
    revision: number,
    keyOf: (stored: string) => string | undefined,
  ) {
    this.#endpoints = endpoints;
    this.#prefix = prefix;
    this.#revision = revision - 1;
    this.#keyOf = keyOf;
    this.#done = this.#run();
  }

  /** The revision up to which everything is recorded. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * Waits until everything up to a revision that exists is recorded.
   *
   * @throws Error after 30 s
   */
  async reach(revision: number): Promise<void> {
    const giveUpAt = Date.now() + 30_000;
    while (this.#revision < revision) {
      if (this.#failure) throw this.#failure;
      if (Date.now() > giveUpAt) throw new Error(`the record is at ${this.#revision}, not at ${revision}`);
      await sleep(50);
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    if (this.#failure) throw this.#failure;
  }

  async #run(): Promise<void> {
    for (let turn = 0; !this.#stop.signal.aborted && !this.#failure; turn++) {
      await this.#watch(this.#endpoints[turn % this.#endpoints.length]!).catch(() => {});
      await sleep(50, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  async #watch(endpoint: string): Promise<void> {
    // A frozen or isolated member sends nothing, and progress messages are off. The recorder therefore changes to
    // another member after 3 s of silence.
    const silent = new AbortController();
    let heard = Date.now();
    const guard = setInterval(() => Date.now() - heard > 3000 && silent.abort(), 500);
    try {
      const response = await fetch(`${endpoint}/v3/watch`, {
        method: 'POST',
        signal: AbortSignal.any([this.#stop.signal, silent.signal]),
        body: JSON.stringify({
          create_request: {
            key: base64(this.#prefix),
            range_end: base64(endOf(this.#prefix)),
            start_revision: this.#revision + 1,
            prev_kv: true,
          },
        }),
      });
      let rest = '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body!) {
        heard = Date.now();
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line !== '') this.#take(JSON.parse(line) as WatchMessage);
      }
    } finally {
      clearInterval(guard);
    }
  }

  #take({ result }: WatchMessage): void {
    if (Number(result?.compact_revision ?? 0) > this.#revision)
      this.#failure = new Error(
        `etcd was compacted to ${result?.compact_revision}, the record is at ${this.#revision}`,
      );
    for (const { type, kv, prev_kv } of result?.events ?? []) {
      const revision = Number(kv.mod_revision);
      this.#revision = Math.max(this.#revision, revision);
      const key = this.#keyOf(Buffer.from(kv.key, 'base64').toString().slice(this.#prefix.length));
      if (key === undefined) continue;
      const value = type === 'DELETE' ? undefined : toValue(kv);
      const leased = Number(prev_kv?.lease ?? 0) !== 0;
      const again = value !== undefined && prev_kv !== undefined && isWrittenAgain(prev_kv, kv);
      const previous = Number(prev_kv?.mod_revision ?? 0);
      this.changes.push({ revision, key, previous, value, leased, ...(again && { again }) });
    }
  }
}

/** The end of the range of a prefix, as etcd defines it. It is the first key after all keys with the prefix. */
function endOf(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function toValue(stored: KeyValue): Value {
  const { metadata } = JSON.parse(plain(stored).toString()) as {
    metadata: { uid: string; labels?: Record<string, string> };
  };
  return { id: metadata.labels?.['id'] ?? '', uid: metadata.uid, color: metadata.labels?.['color'] ?? '' };
}

function bytes({ value = '' }: KeyValue): Buffer {
  return Buffer.from(value, 'base64');
}

function plain(stored: KeyValue): Buffer {
  const value = bytes(stored);
  return keyOfValue(value) === undefined ? value : openValue(Buffer.from(stored.key, 'base64').toString(), value);
}

/** Whether a value is the same as before, but encrypted with another key. */
function isWrittenAgain(before: KeyValue, now: KeyValue): boolean {
  return keyOfValue(bytes(before)) !== keyOfValue(bytes(now)) && plain(before).equals(plain(now));
}
