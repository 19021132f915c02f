import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { CallError } from './call-error.ts';
import { Http2Connection } from './http2/connection.ts';
import { errorCode } from './http2/frame.ts';
import { encodeFields } from './http2/header-block.ts';
import type { Http2Stream, StreamEnd, StreamHandler } from './http2/stream.ts';

/** The target of a session. */
export interface Target {
  /** `http://host:port`, `https://host:port`, or `unix://` and `unixs://` with the path of a socket. */
  readonly url: string;
  /**
   * The certificates of a connection. A function is called for each connection. Undefined means the defaults of
   * Node.js.
   */
  readonly tls: SecureContext | (() => SecureContext) | undefined;
}

/** Headers of one call, by lower-case name. */
export type Metadata = Readonly<Record<string, string>>;

/** The owner of a session. */
export interface SessionKeeper {
  /** The session accepts calls, or more calls than before. */
  roomIn(session: GrpcSession): void;
  /** The session accepts no more calls; calls in progress may still be answered. Called once. */
  leaving(session: GrpcSession, reason: string): void;
  /** All parts of the session have ended. */
  ended(session: GrpcSession): void;
}

/**
 * The pings find a frozen peer within 8 s, or within 2 s after a call got no answer. etcd ends a connection that sends
 * several pings less than 5 s apart while etcd has nothing to send. A single such ping is allowed.
 */
const KEEPALIVE_MS = 6_000;
const PING_TIMEOUT_MS = 2_000;

/** How long a peer may take to accept a connection and to say that it speaks HTTP/2. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * One HTTP/2 connection. It is open when the peer has sent its settings. Only then is it certain that a peer answers,
 * and known how many streams it allows. The connection does not keep the process alive, but a caller that waits for an
 * answer does.
 */
export class GrpcSession {
  readonly #socket: Socket;
  readonly #connection: Http2Connection;
  readonly #keeper: SessionKeeper;
  readonly #authority: string;
  /** The common fields of every call. */
  readonly #fields: readonly string[];
  /** The block of the path and the common fields, by path: names with a colon come first. */
  readonly #blocks = new Map<string, Buffer>();
  readonly #connecting: NodeJS.Timeout;
  readonly #keepalive: NodeJS.Timeout;
  #ready = false;
  #left = false;
  #suspect = false;
  /** An extra ping replaces the next regular ping. There is no other extra ping before the regular ping after that. */
  #turn: 'free' | 'early' | 'resting' = 'free';
  #answering = false;
  #reason = 'Connection dropped';

  /**
   * @throws if the target's certificates cannot be read
   */
  constructor(target: Target, keeper: SessionKeeper) {
    const place = placeOf(target.url);
    this.#keeper = keeper;
    this.#authority = place.authority;
    this.#fields = [
      ...[':method', 'POST', ':scheme', place.secure ? 'https' : 'http', ':authority', place.authority],
      ...['content-type', 'application/grpc', 'te', 'trailers'],
      // A member that has no leader refuses at once instead of waiting for one.
      ...['hasleader', 'true'],
    ];
    const socket = dial(place, typeof target.tls === 'function' ? target.tls() : target.tls);
    this.#socket = socket.unref();
    let faulty = false;
    this.#connection = new Http2Connection(socket, {
      settings: () => {
        this.#ready = true;
        clearTimeout(this.#connecting);
        this.#offer();
      },
      freed: () => this.#offer(),
      exhausted: () => this.#leave('the connection has no more streams'),
      goingAway: (code) => {
        this.#reason = `the peer is going away (code ${code})`;
        faulty = code !== errorCode.none;
        this.#leave(this.#reason);
      },
      ended: (reason) => {
        if (!faulty) this.#reason = reason ?? this.#reason;
        this.#leave(this.#reason);
      },
    });
    socket.on('close', () => {
      clearInterval(this.#keepalive);
      keeper.ended(this);
    });
    this.#connecting = setTimeout(
      () => this.#break(`no answer from ${this.#authority} in ${CONNECT_TIMEOUT_MS} ms`),
      CONNECT_TIMEOUT_MS,
    ).unref();
    this.#keepalive = setInterval(() => this.#tick(), KEEPALIVE_MS).unref();
  }

  /** Whether a call may start now. */
  get room(): boolean {
    return this.#ready && !this.#left && this.#connection.streams < this.#connection.maxStreams;
  }

  /** Whether the session has ever accepted calls. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Whether any call was answered. */
  get answering(): boolean {
    return this.#answering;
  }

  /**
   * Starts a call. There must be `room` for it. `metadata` has the metadata of this call, by name. `body` is all that
   * the call sends.
   */
  open(path: string, metadata: Metadata, handler: StreamHandler, body?: Buffer): Http2Stream {
    let common = this.#blocks.get(path);
    if (common === undefined) {
      common = encodeFields([':path', path, ...this.#fields]);
      this.#blocks.set(path, common);
    }
    const block = Buffer.concat([common, encodeFields(Object.entries(metadata).flat())]);
    return this.#connection.open(block, handler, body);
  }

  /** Something was heard on a stream. */
  heard(): void {
    this.#answering = true;
  }

  /**
   * A call did not get its answer in time. Sends a ping as soon as a ping is allowed, to check that the peer still
   * answers.
   */
  missed(): void {
    this.#suspect = true;
    if (this.#turn === 'free' && this.#ping()) this.#turn = 'early';
  }

  /**
   * The reason why a stream ended without an answer. If the peer has answered part of the call, it has also processed
   * the request.
   */
  failureOf({ code, untouched }: StreamEnd, responded: boolean): CallError {
    if (untouched && !responded) return CallError.unsent('Stream refused by server');
    if (this.#connection.over) return CallError.lost(this.#reason);
    return CallError.lost(`the stream ended without a status (code ${code})`);
  }

  /**
   * Keeps the process alive while the session is connected. A call without a deadline has no timer that keeps the
   * process alive.
   */
  ref(): void {
    this.#socket.ref();
  }

  /** The session accepts no more calls. The connection ends with the last call in progress. */
  retire(): void {
    this.#left = true;
    this.#connection.close();
    clearTimeout(this.#connecting);
  }

  /** Ends the connection, and with it the calls. */
  destroy(): void {
    this.#left = true;
    clearTimeout(this.#connecting);
    this.#connection.destroy();
  }

  #offer(): void {
    if (this.room) this.#keeper.roomIn(this);
  }

  #leave(reason: string): void {
    if (!this.#left) {
      this.retire();
      this.#keeper.leaving(this, reason);
    }
  }

  #break(reason: string): void {
    this.#reason = reason;
    this.#leave(reason);
    this.destroy();
  }

  #tick(): void {
    if (this.#left && this.#connection.streams === 0) {
      // A closing connection ends when its last bytes are sent. A peer may never read them.
      this.#socket.destroy();
      return;
    }
    if (this.#turn === 'early') {
      this.#turn = 'resting';
    } else {
      this.#turn = 'free';
      this.#ping();
    }
  }

  /** Sends a ping if a ping is allowed. The peer counts pings against this client while there are no calls. */
  #ping(): boolean {
    if (!this.#ready || this.#connection.over) return false;
    if (this.#connection.streams === 0 && !this.#suspect) return false;
    this.#suspect = false;
    const silent = setTimeout(
      // The answer may have arrived while this process was busy, so read it before the decision.
      () => setImmediate(() => answered || this.#break('Keepalive timeout: the peer does not answer')),
      PING_TIMEOUT_MS,
    ).unref();
    let answered = false;
    this.#connection.ping(() => {
      answered = true;
      clearTimeout(silent);
    });
    return true;
  }
}

/** The parsed form of an address. */
interface Place {
  readonly secure: boolean;
  readonly authority: string;
  readonly connect: { readonly host: string; readonly port: number } | { readonly path: string };
}

function placeOf(address: string): Place {
  const socket = /^unix(s?):\/\/(.+)$/.exec(address);
  if (socket !== null) {
    return { secure: socket[1] === 's', authority: 'localhost', connect: { path: socket[2]! } };
  }
  const { protocol, host: authority, hostname, port } = new URL(address);
  const secure = protocol === 'https:';
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { secure, authority, connect: { host, port: Number(port || (secure ? 443 : 80)) } };
}

function dial({ secure, connect: where }: Place, secureContext: SecureContext | undefined): Socket {
  if (!secure) return connectTcp(where);
  const secured = { ...(secureContext && { secureContext }), ...where, ALPNProtocols: ['h2'] };
  if ('path' in where) {
    // a socket has no name for a certificate; the file system decides who may create it
    return connectTls({ ...secured, checkServerIdentity: () => undefined });
  }
  return connectTls({ ...secured, ...(isIP(where.host) ? {} : { servername: where.host }) });
}
