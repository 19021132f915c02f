import type { Readable } from 'node:stream';
import { TokenBucket } from '#base/limits/token-bucket.ts';
import { TokenBuckets } from '#base/limits/token-buckets.ts';

/** Body pieces with fewer bytes than this cost more than their content. */
const SMALL = 256;

/** The number of small pieces with which any body may start. They cost less than the request itself. */
const FREE = 8;

/**
 * For this number of bytes, a body may have one more small piece. TLS records and HTTP/2 windows cut frames. So even a
 * large body of a normal client has a small piece every 15 to 70 KB.
 */
const BYTES_FOR_ONE = 4 * 1024;

/** A body with no more small pieces than this does not count towards the limit of all bodies. */
const HARMLESS = 200;

/**
 * The limit of small pieces: per second in the long run, and at once. Each costs some microseconds. A client with a
 * person who types, or one that sends messages of a few bytes through a proxy, sends some hundred a second.
 */
const OF_CONNECTION = { qps: 2_000, burst: 2_000 };
const OF_USER = { qps: 5_000, burst: 5_000 };
const OF_ALL = { qps: 10_000, burst: 10_000 };

/** The largest number of users whose pieces are counted at the same time. */
const USERS = 1_000;

/** The small pieces of the bodies on one connection. */
export interface ConnectionPieces {
  readonly bucket: TokenBucket;
  /** The user of the last authenticated request; undefined before the first one. */
  user: string | undefined;
}

/** The decision about a body in small pieces: it may continue, or the body ends, or the whole connection ends. */
export type Verdict = 'fine' | 'end-body' | 'end-connection';

/**
 * Counts the pieces of all bodies as they arrive, whether or not they are read. A megabyte of pieces with one byte each
 * would delay all other clients, over HTTP/2 (frames) and over HTTP/1.1 (chunks).
 */
export class BodyPieces {
  readonly #all = new TokenBucket(OF_ALL.qps, OF_ALL.burst);
  readonly #users = new TokenBuckets(OF_USER.qps, OF_USER.burst, USERS);

  connection(): ConnectionPieces {
    return { bucket: new TokenBucket(OF_CONNECTION.qps, OF_CONNECTION.burst), user: undefined };
  }

  /**
   * Observes a body, beginning before its first piece. `came` gets the size of each piece and the decision. If a body
   * must end, its rest is discarded.
   */
  watch(body: Readable, connection: ConnectionPieces, came: (bytes: number, verdict: Verdict) => void): void {
    const push = body.push;
    let [small, bytes] = [0, 0];
    let ended = false;
    // Node.js calls `push` for each piece, even if the stream only buffers it.
    body.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
      if (chunk === null) return push.call(body, chunk, encoding);
      if (ended) return false;
      bytes += chunk.length;
      const isOne = chunk.length < SMALL && ++small > FREE + bytes / BYTES_FOR_ONE;
      const verdict = isOne ? this.#verdict(small, connection) : 'fine';
      ended = verdict !== 'fine';
      came(chunk.length, verdict);
      return !ended && push.call(body, chunk, encoding);
    };
  }

  #verdict(small: number, { bucket, user }: ConnectionPieces): Verdict {
    if (!bucket.take() || (user !== undefined && !this.#users.take(user))) return 'end-connection';
    return this.#all.take() || small <= HARMLESS ? 'fine' : 'end-body';
  }
}
