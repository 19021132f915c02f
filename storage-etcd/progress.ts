import type { Connection } from './connection.ts';
import type { Endpoint } from './endpoint.ts';
import { frameOf } from './grpc-frame.ts';
import type { GrpcStream } from './grpc-stream.ts';
import { keyBytes } from './keys.ts';
import { ownPut } from './kv-messages.ts';
import { encodeProgress } from './watch-messages.ts';

/** The interval of writes that replace progress answers. */
const MARK_INTERVAL_MS = 100;

/**
 * Whether this version of etcd answers a progress request only after all changes up to the answer's revision. Before
 * 3.4.25 and 3.5.8, changes up to that revision may still follow the answer (etcd issue 15220).
 */
export function trustsProgress(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  if (major !== 3) return major > 3;
  return minor > 5 || (minor === 5 && patch >= 8) || (minor === 4 && patch >= 25);
}

/**
 * Makes a feed report its revision. If the progress answers of this etcd cannot be trusted, it writes a key of the
 * store's own under the feed's prefix. The event of that key arrives in order and gives the same information.
 */
export class Progress {
  readonly #connection: Connection;
  readonly #markKey: string | undefined;
  #open: { readonly endpoint: Endpoint; readonly stream: GrpcStream } | undefined;
  #trusted: boolean | undefined;
  #asked = false;
  #markedAt = 0;

  constructor(connection: Connection, prefix: string) {
    this.#connection = connection;
    const markKey = `${connection.settings.prefix}/store:progress`;
    this.#markKey = markKey.startsWith(prefix) ? markKey : undefined;
  }

  /** Whether answers without changes count. False until the version is known. */
  get trusted(): boolean {
    return this.#trusted === true;
  }

  start(endpoint: Endpoint, stream: GrpcStream): void {
    this.#open = { endpoint, stream };
    void this.#learn(endpoint);
  }

  stop(): void {
    this.#open = undefined;
  }

  request(): void {
    if (!this.#open || this.#trusted === undefined) {
      this.#asked = true;
    } else if (this.#trusted) {
      this.#open.stream.write(frameOf(encodeProgress()));
    } else {
      void this.#mark();
    }
  }

  async #learn(endpoint: Endpoint): Promise<void> {
    try {
      const { version } = await endpoint.status(this.#connection.settings.openTimeoutMs);
      this.#trusted = trustsProgress(version);
    } catch {
      this.#trusted = false;
    }
    if (this.#asked && this.#open) {
      this.#asked = false;
      this.request();
    }
  }

  async #mark(): Promise<void> {
    const now = performance.now();
    if (this.#markKey === undefined || now - this.#markedAt < MARK_INTERVAL_MS) return;
    this.#markedAt = now;
    const { endpoints, settings } = this.#connection;
    try {
      const put = ownPut({ key: keyBytes(this.#markKey), value: Buffer.alloc(0) });
      const request = { compare: [], success: [put], failure: [] };
      await endpoints.current().kv.txn(request, settings.readTimeoutMs);
    } catch {
      // A failure does no harm: a waiting caller asks again.
    }
  }
}
