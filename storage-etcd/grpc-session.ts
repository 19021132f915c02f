import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { CallError } from './call-error.ts';

/** Where a session leads. */
export interface Target {
  /** `http://host:port`, `https://host:port`, or `unix://` and `unixs://` with the path of a socket. */
  readonly url: string;
  /** The certificates of a connection; a function is called for each connection. Undefined: the defaults of Node.js. */
  readonly tls: SecureContext | (() => SecureContext) | undefined;
}

/** Headers of one call, by lower-case name. */
export type Metadata = Readonly<Record<string, string>>;

/** Who keeps a session. */
export interface SessionKeeper {
  /** It takes calls, or more calls than before. */
  roomIn(session: GrpcSession): void;
  /** The session accepts no more calls; calls under way may still be answered. Called once. */
  leaving(session: GrpcSession, reason: string): void;
  /** Nothing of it is left. */
  ended(session: GrpcSession): void;
}

/**
 * A frozen peer is found in 8 s, or in 2 s after a call got no answer. etcd ends a connection that sends several pings
 * less than 5 s apart while etcd has nothing to send. A single such ping is allowed.
 */
const KEEPALIVE_MS = 6_000;
const PING_TIMEOUT_MS = 2_000;

/** How long a peer may take to accept a connection and to say that it speaks HTTP/2. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Node's 64 KiB would stop the sender many times in every large page. */
const WINDOW_BYTES = 1 << 20;

/** Stream ids end at 2^31, and none is used twice. */
const LAST_STREAM_ID = 2 ** 31 - 1_000;

/** Whether this Node.js takes headers as a list. */
const TAKES_LISTS = Number.parseInt(process.versions.node, 10) >= 24;

/**
 * One HTTP/2 connection. It is open when the peer has sent its settings: only then is it certain that a peer answers
 * there, and how many streams it allows. The connection does not keep the process alive, but a caller that waits for an
 * answer does.
 */
export class GrpcSession {
  readonly #socket: Socket;
  readonly #session: ClientHttp2Session;
  readonly #keeper: SessionKeeper;
  readonly #authority: string;
  /** The common headers of every call. */
  readonly #headers: readonly string[];
  readonly #connecting: NodeJS.Timeout;
  readonly #keepalive: NodeJS.Timeout;
  #ready = false;
  #left = false;
  #streams = 0;
  #maxStreams = 0;
  #suspect = false;
  /** An extra ping replaces the next regular one, and no other follows before the one after that. */
  #turn: 'free' | 'early' | 'resting' = 'free';
  #answering = false;
  #reason = 'Connection dropped';
  /** The last stream that a peer works on which ends the connection with an error. */
  #lastWorkedOn: number | undefined;

  /**
   * @throws if the target's certificates cannot be read
   */
  constructor(target: Target, keeper: SessionKeeper) {
    const place = placeOf(target.url);
    const scheme = place.secure ? 'https' : 'http';
    this.#keeper = keeper;
    this.#authority = place.authority;
    this.#headers = [
      ...[':method', 'POST', ':scheme', scheme, ':authority', place.authority],
      ...['content-type', 'application/grpc', 'te', 'trailers'],
      // A member that has no leader refuses at once instead of waiting for one.
      ...['hasleader', 'true'],
    ];
    const socket = dial(place, typeof target.tls === 'function' ? target.tls() : target.tls);
    this.#socket = socket;
    const session = connect(`${scheme}://${place.authority}`, {
      createConnection: () => socket,
      // Data in flight counts as the session's memory, and a list may be large.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
      settings: { initialWindowSize: WINDOW_BYTES, enablePush: false },
    });
    this.#session = session;
    session.unref();
    session.on('connect', () => session.setLocalWindowSize(WINDOW_BYTES));
    session.on('remoteSettings', ({ maxConcurrentStreams }) => {
      this.#ready = true;
      clearTimeout(this.#connecting);
      this.#maxStreams = maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
      this.#offer();
    });
    session.on('goaway', (code, lastId) => {
      this.#reason = `the peer is going away (code ${code})`;
      if (code !== constants.NGHTTP2_NO_ERROR) this.#lastWorkedOn = lastId;
      this.#leave(this.#reason);
    });
    session.on('error', (error: Error & { code?: string }) => {
      if (this.#lastWorkedOn === undefined) this.#reason = error.message || error.code || this.#reason;
      this.#leave(this.#reason);
    });
    session.on('close', () => this.#leave(this.#reason));
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
    return this.#ready && !this.#left && this.#streams < this.#maxStreams;
  }

  /** Whether it ever took calls. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Whether any call was answered. */
  get answering(): boolean {
    return this.#answering;
  }

  /**
   * Starts a call; `room` must be there. `metadata` belongs to the call, by name.
   *
   * @throws CallError
   */
  open(path: string, metadata: Metadata): ClientHttp2Stream {
    // Names and values alternate, a form that Node 24 sends unchanged: to read an object would be a tenth of the cost
    // of a call.
    const headers = [...this.#headers, ':path', path];
    for (const name in metadata) headers.push(name, metadata[name]!);
    const stream = this.#session.request(TAKES_LISTS ? headers : byName(headers));
    stream.on('error', ignore);
    if (stream.id === undefined) {
      stream.destroy();
      this.#leave(this.#reason);
      throw CallError.unsent('the connection takes no more calls');
    }
    this.#streams += 1;
    stream.on('close', () => {
      this.#streams -= 1;
      if (stream.id! > LAST_STREAM_ID) {
        this.#leave('the connection has no more streams');
      } else {
        this.#offer();
      }
    });
    return stream;
  }

  /** Something was heard on a stream. */
  heard(): void {
    this.#answering = true;
  }

  /**
   * A call did not get its answer in time: sends a ping, as soon as this is allowed, to check that the peer still
   * answers.
   */
  missed(): void {
    this.#suspect = true;
    if (this.#turn === 'free' && this.#ping()) this.#turn = 'early';
  }

  /**
   * The reason why a stream ended without an answer. The peer has not processed a stream that it refused before any
   * answer, nor a stream beyond the last one that its GOAWAY names.
   */
  failureOf(stream: ClientHttp2Stream, responded: boolean): CallError {
    const code = stream.rstCode ?? constants.NGHTTP2_NO_ERROR;
    if (!responded) {
      // A stream that the connection's end closes shows the connection's code, as if it were its own.
      const { NGHTTP2_REFUSED_STREAM: refused } = constants;
      const beyond = this.#lastWorkedOn;
      if (beyond === undefined ? code === refused : stream.id !== undefined && stream.id > beyond) {
        return CallError.unsent('Stream refused by server');
      }
    }
    if (this.#session.destroyed) return CallError.lost(this.#reason);
    return CallError.lost(`the stream ended without a status (code ${code})`);
  }

  /** Keeps the process alive while it is connected, for a call that has no deadline to do that. */
  ref(): void {
    this.#session.ref();
  }

  /** No more calls; the connection ends with the last one under way. */
  retire(): void {
    this.#left = true;
    this.#session.close();
    clearTimeout(this.#connecting);
  }

  /** Ends the connection, and with it the calls. */
  destroy(): void {
    this.#left = true;
    clearTimeout(this.#connecting);
    this.#session.destroy();
    // The session itself would wait until all data is written and the peer has ended it.
    this.#socket.destroy();
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
    if (this.#turn === 'early') {
      this.#turn = 'resting';
    } else {
      this.#turn = 'free';
      this.#ping();
    }
  }

  /** Sends a ping, if it may: without calls, pings count against this client. */
  #ping(): boolean {
    if (this.#session.destroyed) {
      this.#socket.destroy();
      return false;
    }
    if (!this.#ready || (this.#streams === 0 && !this.#suspect)) return false;
    this.#suspect = false;
    const silent = setTimeout(
      // The answer may have come while this process was busy: look before judging.
      () => setImmediate(() => answered || this.#break('Keepalive timeout: the peer does not answer')),
      PING_TIMEOUT_MS,
    ).unref();
    let answered = false;
    this.#session.ping(() => {
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

function byName(headers: readonly string[]): Record<string, string> {
  const named = Object.create(null) as Record<string, string>;
  for (let n = 0; n < headers.length; n += 2) named[headers[n]!] = headers[n + 1]!;
  return named;
}

/** A stream's error comes before its end, which has the details. */
function ignore(): void {}
