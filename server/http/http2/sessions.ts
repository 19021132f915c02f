import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { methodNotAllowed, type StatusError } from '#base/errors/status-error.ts';
import { TokenBucket } from '#base/limits/token-bucket.ts';
import { InTurns } from '#base/time/in-turns.ts';
import { timerMs } from '#base/time/longest-timer.ts';
import { BodyPieces, type ConnectionPieces } from '../body-pieces.ts';
import type { Respond } from '../respond.ts';
import { PausedReading } from './paused-reading.ts';
import { StreamRequest } from './stream-request.ts';
import { StreamResponse } from './stream-response.ts';

/** The default limit of a client's open streams on a connection. */
const STREAMS = 250;

/**
 * The largest number of streams on a connection before one of its requests is authenticated. The heads of all of them
 * may arrive in one piece from an unknown sender. Clients start this many streams before they know of a limit: RFC
 * 9113, 6.5.2, recommends no smaller number, and Go, nghttp2 and Node.js use it. Streams beyond the limit are refused.
 */
const UNPROVEN_STREAMS = 100;

/**
 * The limits of a request's head: the number of its fields and their total length, in bytes (RFC 9113, 6.5.2). A field
 * that repeats an earlier one is a single byte, but costs some microseconds.
 */
const FIELDS = 100;
const HEAD_BYTES = 128 * 1024;

/** The header of a frame, in bytes. */
const FRAME_HEAD = 9;

/**
 * The flow-control windows for bodies that no handler reads yet: of a stream, and of a whole connection, in bytes.
 */
const STREAM_WINDOW = 256 * 1024;
const CONNECTION_WINDOW = 2 * 1024 * 1024;

/**
 * The largest number of megabytes that may wait for the client of a connection. A piece of a list may wait on each
 * stream. If more data waits, the client gets no new streams.
 */
const MAY_WAIT_MB = 256;

/** The limit of PING and SETTINGS frames, which need an answer: per second in the long run, and at once. */
const CONTROL_FRAMES = { qps: 20, burst: 500 };

/**
 * The bytes that may arrive in a second, or at once, besides bodies. They are in frames that open windows, for example.
 * Heads may have this average length. Bodies may come in frames that are so small that their size doubles.
 */
const IDLE_FRAMES = 1 << 20;
const USUAL_HEAD = 32 * 1024;

/** How long a client that the server has sent to another connection may still begin requests, in milliseconds. */
const LAST_REQUESTS = 1000;

/** The last stream id of a first GOAWAY: open streams continue for now (RFC 9113, 6.8). */
const ANY_STREAM = 2 ** 31 - 1;

/** The limits of HTTP/2 connections. */
export interface Http2Service {
  readonly respond: Respond;
  /** The value of `--http2-max-streams-per-connection`; 0 means the usual number. */
  readonly maxStreams: number;
  /** The share of requests after which the client must use a new connection, and so perhaps another replica. */
  readonly goawayChance: number;
}

/** The times of sessions, in milliseconds. */
export interface SessionTimes {
  /** The time after which a connection without any request is closed. */
  readonly firstRequest: number;
  /** The time after which a connection with nothing in progress is closed. */
  readonly idle: number;
  /**
   * How long a client may take to answer a PING. After this time the server assumes that the client has disconnected or
   * reads nothing.
   */
  readonly stuck: number;
  /** The interval of PINGs on a connection with open requests. */
  readonly ping: number;
  /** The interval of checks of all connections. */
  readonly look: number;
  /** The interval of counting received bytes. */
  readonly hear: number;
}

/** The times of a real server. */
const SESSION_TIMES: SessionTimes = {
  firstRequest: 30_000,
  // The limit is longer than that of the load balancers before the server.
  idle: 90_000,
  stuck: 15_000,
  ping: 30_000,
  look: 1000,
  hear: 100,
};

interface Known {
  readonly socket: TLSSocket;
  readonly control: TokenBucket;
  readonly pieces: ConnectionPieces;
  open: number;
  /** The largest number of open streams, and of waiting heads. */
  streams: number;
  waiting: number;
  asked: boolean;
  /** The data since the last check: new streams, and bytes of their bodies. */
  begun: number;
  bodies: number;
  /** The received bytes at the last check, and its time. */
  read: number;
  heardAt: number;
  /** The other received bytes that still count. */
  talk: number;
  /** The bytes that may still arrive for bodies of streams that the server has ended. */
  underWay: number;
  /** The time at which a stream last began or ended. */
  idleSince: number;
  /** The time of the last PING, and whether it was answered. */
  pingedAt: number;
  ponged: boolean;
  retired: boolean;
  /**
   * Shared by all streams. Called with the user of an authenticated request, and when the client must move to another
   * connection.
   */
  readonly madeBy: (user: string) => void;
  /** Called when the server ends a stream before its body has arrived. */
  readonly cutOff: () => void;
  readonly retire: () => void;
}

function ignore(): void {}

/**
 * Refuses a stream that is not a request for the filter chain, because the server connects clients to no other hosts.
 */
function refuse(stream: ServerHttp2Stream, { code, status }: StatusError): void {
  stream.respond({ ':status': code, 'content-type': 'application/json' });
  stream.end(JSON.stringify(status));
}

/**
 * The HTTP/2 connections of clients. Node.js and nghttp2 already end connections that reset hundreds of streams or send
 * endless heads. This class handles the other abuses: frames that need an answer or carry nothing, silent connections,
 * clients that read nothing, and hundreds of requests in one piece.
 */
export class Http2Sessions {
  readonly #sessions = new Map<ServerHttp2Session, Known>();
  readonly #service: Http2Service;
  readonly #times: SessionTimes;
  readonly #log: Logger;
  readonly #pieces: BodyPieces;
  readonly #turns = new InTurns<Known>();
  readonly #reading = new PausedReading<Known>();
  #watch: NodeJS.Timeout | undefined;
  #hearing: NodeJS.Timeout | undefined;
  #leaving = false;

  /** The bodies on connections of HTTP/1.1 with the same `pieces` are counted together with these. */
  constructor(
    service: Http2Service,
    log: Logger,
    { times = SESSION_TIMES, pieces = new BodyPieces() }: { times?: SessionTimes; pieces?: BodyPieces } = {},
  ) {
    this.#pieces = pieces;
    this.#service = service;
    this.#times = times;
    this.#log = log;
  }

  /** Serves a connection on which HTTP/2 was agreed. */
  accept(socket: TLSSocket): void {
    const streams = this.#service.maxStreams || STREAMS;
    // A client with a certificate of a trusted authority is already authenticated.
    const unproven = socket.authorized ? streams : Math.min(streams, UNPROVEN_STREAMS);
    const session = performServerHandshake(socket, {
      settings: {
        enablePush: false,
        maxConcurrentStreams: unproven,
        initialWindowSize: STREAM_WINDOW,
        maxHeaderListSize: HEAD_BYTES,
      },
      maxHeaderListPairs: FIELDS,
      maxSessionMemory: MAY_WAIT_MB,
    });
    const now = performance.now();
    const known: Known = {
      socket,
      control: new TokenBucket(CONTROL_FRAMES.qps, CONTROL_FRAMES.burst),
      pieces: this.#pieces.connection(),
      open: 0,
      streams: unproven,
      waiting: 0,
      asked: false,
      begun: 0,
      bodies: 0,
      read: socket.bytesRead,
      heardAt: now,
      talk: 0,
      underWay: 0,
      idleSince: now,
      pingedAt: now,
      ponged: true,
      retired: false,
      madeBy: (user) => {
        const isFirst = known.pieces.user === undefined;
        known.pieces.user = user;
        this.#reading.proved(known);
        if (!isFirst || streams === unproven || session.destroyed || session.closed) return;
        known.streams = streams;
        session.settings({ maxConcurrentStreams: streams });
      },
      cutOff: () => {
        // The client continues to send until it learns of the end. It can send as much data as the windows that it
        // knows allow.
        known.underWay = Math.min(CONNECTION_WINDOW, known.underWay + STREAM_WINDOW);
      },
      retire: () => this.#retire(session, known),
    };
    this.#sessions.set(session, known);
    this.#watch ??= setInterval(() => this.#look(), timerMs(this.#times.look)).unref();
    this.#hearing ??= setInterval(() => this.#hear(), timerMs(this.#times.hear)).unref();
    this.#reading.opened(known);
    session.once('close', () => {
      this.#sessions.delete(session);
      this.#reading.closed(known);
    });
    session.on('error', (error) => this.#log.debug({ err: error }, 'a connection of HTTP/2 failed'));
    const control = () => {
      if (!known.control.take()) this.#cut(session, 'it sends too many frames that want an answer');
    };
    session.on('ping', control).on('remoteSettings', control);
    session.on('stream', (stream, headers, flags, raw) => {
      if (known.pieces.user === undefined) this.#reading.readLessOfUnproven();
      this.#opened(stream, known);
      if ((flags & constants.NGHTTP2_FLAG_END_STREAM) === 0) this.#watchBody(session, stream, known);
      if (!this.#reading.waits(known)) this.#cut(session, 'it resets streams as it opens them');
      this.#turns.add(known, () => {
        this.#reading.waitsNoMore(known, session.destroyed);
        // A stream that is reset at once costs no more than that.
        if (!stream.destroyed) this.#begin(known, stream, headers, flags, raw as unknown as readonly string[]);
      });
    });
    session.setLocalWindowSize(CONNECTION_WINDOW);
    if (this.#leaving) known.retire();
  }

  /**
   * The handler of the stream's end is created in a separate method. Otherwise its closure would keep the head of the
   * stream in memory.
   */
  #opened(stream: ServerHttp2Stream, known: Known): void {
    stream.on('error', ignore);
    known.open++;
    known.begun++;
    known.asked = true;
    stream.on('close', () => {
      known.open--;
      known.idleSince = performance.now();
    });
  }

  /** Counts the frames of a body, beginning with the first. A client may send frames at any time. */
  #watchBody(session: ServerHttp2Session, stream: ServerHttp2Stream, known: Known): void {
    this.#pieces.watch(stream, known.pieces, (bytes, verdict) => {
      known.bodies += bytes + FRAME_HEAD;
      if (verdict === 'end-body') stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      else if (verdict === 'end-connection') this.#cut(session, 'it sends bodies in too small pieces');
    });
  }

  #begin(
    known: Known,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    flags: number,
    raw: readonly string[],
  ): void {
    if (headers[':method'] === 'CONNECT') {
      refuse(stream, methodNotAllowed());
      return;
    }
    const bodiless = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    if (!bodiless && headers.expect === '100-continue') stream.additionalHeaders({ ':status': 100 });
    const request = new StreamRequest(stream, known.socket, { headers, raw, bodiless }, known);
    const response = new StreamResponse(stream, request.method === 'HEAD', known.retire);
    const { goawayChance } = this.#service;
    if (goawayChance > 0 && Math.random() < goawayChance) known.retire();
    this.#service.respond(request, response, () => response.bytesWritten);
  }

  /** Tells all clients to send their next requests on another connection. */
  leave(): void {
    this.#leaving = true;
    for (const { retire } of this.#sessions.values()) retire();
  }

  /**
   * Ends connections without a request after `graceMs`, and all connections after `limitMs`. Resolves when `closed`
   * does.
   */
  async ended(closed: Promise<void>, graceMs: number, limitMs: number): Promise<void> {
    const grace = setTimeout(() => {
      for (const session of this.#sessions.keys()) session.close();
    }, timerMs(graceMs));
    const limit = setTimeout(() => {
      for (const session of this.#sessions.keys()) session.destroy();
    }, timerMs(limitMs));
    await closed;
    clearTimeout(grace);
    clearTimeout(limit);
    clearInterval(this.#watch);
    clearInterval(this.#hearing);
  }

  /**
   * Tells a client to start no more requests on this connection, waits for those in flight, and then closes the
   * connection, so that nothing is lost.
   */
  #retire(session: ServerHttp2Session, known: Known): void {
    if (known.retired || session.destroyed || session.closed) return;
    known.retired = true;
    session.goaway(constants.NGHTTP2_NO_ERROR, ANY_STREAM);
    setTimeout(() => session.close(), LAST_REQUESTS).unref();
  }

  #cut(session: ServerHttp2Session, why: string): void {
    if (session.destroyed) return;
    this.#log.debug(`a connection of HTTP/2 is closed: ${why}`);
    session.destroy(constants.NGHTTP2_ENHANCE_YOUR_CALM as unknown as Error);
  }

  #look(): void {
    const now = performance.now();
    for (const [session, known] of this.#sessions) {
      if (session.destroyed) continue;
      if (known.open === 0) {
        const limit = known.asked ? this.#times.idle : this.#times.firstRequest;
        if (now - known.idleSince > limit) session.close();
      } else if (known.ponged) {
        if (now - known.pingedAt > this.#times.ping) this.#ping(session, known, now);
      } else if (now - known.pingedAt > this.#times.stuck) this.#cut(session, 'its client is gone, or reads nothing');
    }
  }

  /** Ends connections on which too much other data than requests has arrived. */
  #hear(): void {
    const now = performance.now();
    for (const [session, known] of this.#sessions) {
      const { bodies, begun, read, socket } = known;
      const unknown = Math.max(0, socket.bytesRead - read - 2 * bodies - begun * USUAL_HEAD);
      const talk = Math.max(0, unknown - known.underWay);
      known.underWay -= unknown - talk;
      [known.bodies, known.begun, known.read] = [0, 0, socket.bytesRead];
      const before = Math.max(0, known.talk - ((now - known.heardAt) / 1000) * IDLE_FRAMES);
      known.talk = before + talk;
      known.heardAt = now;
      if (known.talk > IDLE_FRAMES) this.#cut(session, 'it sends frames that say nothing');
    }
  }

  #ping(session: ServerHttp2Session, known: Known, now: number): void {
    known.pingedAt = now;
    known.ponged = false;
    session.ping((error) => {
      known.ponged = error === null;
    });
  }
}
