import http from 'node:http';
import type https from 'node:https';
import { isIP, type Socket } from 'node:net';
import { MAX_HEAD, sameTrust, type Trust, tlsOptions } from '#program/connection/kept-connections.ts';
import { type Dial, dialThrough } from '#program/connection/proxy.ts';
import { ConnectionError } from '../errors.ts';
import type { Incoming } from './answer.ts';
import { Answer, Body } from './answer.ts';
import { CONNECT_TIMEOUT_MS, type Connections, KEEP_ALIVE_MS, MOST_REQUESTS, type Purpose } from './connections.ts';
import { asError, type Outgoing, reasonOf, type Upgraded } from './exchange.ts';

/** The HTTP module of Node.js and the agent that requests of one purpose use. */
interface Maker {
  readonly request: typeof http.request;
  readonly agent: http.Agent;
}

/**
 * Connections for a process that makes a few requests and ends. They use Node.js's own HTTP client. It loads in a tenth
 * of the time of a pool, but each request costs more. A request is written when its connection is ready.
 */
export class LightConnections implements Connections {
  readonly #origin: URL;
  readonly #dial: Dial | undefined;
  #identity: Trust | undefined;
  #makers = new Map<Purpose, Maker>();
  #left: Maker[] = [];

  /** @param proxyUrl the proxy to the server, if there is one */
  constructor(origin: string, proxyUrl?: string) {
    this.#origin = new URL(origin);
    this.#dial = proxyUrl === undefined ? undefined : dialThrough(proxyUrl, CONNECT_TIMEOUT_MS);
  }

  async exchange(purpose: Purpose, identity: Trust, outgoing: Outgoing): Promise<Incoming> {
    return (await this.#send(purpose, identity, outgoing)) as Incoming;
  }

  askForUpgrade(identity: Trust, outgoing: Outgoing, protocol: string): Promise<Upgraded | Incoming> {
    return this.#send('watch', identity, outgoing, protocol);
  }

  async destroy(): Promise<void> {
    for (const { agent } of [...this.#makers.values(), ...this.#left]) agent.destroy();
    this.#makers.clear();
    this.#left = [];
  }

  async #for(purpose: Purpose, identity: Trust): Promise<Maker> {
    if (this.#identity === undefined || !sameTrust(this.#identity, identity)) {
      this.#left.push(...this.#makers.values());
      this.#makers = new Map();
      this.#identity = identity;
    }
    const known = this.#makers.get(purpose);
    if (known !== undefined) return known;
    const maxSockets = purpose === 'watch' ? Number.POSITIVE_INFINITY : MOST_REQUESTS;
    const options = { keepAlive: true, timeout: KEEP_ALIVE_MS, maxSockets };
    let maker: Maker;
    if (this.#origin.protocol === 'https:') {
      const { Agent, request }: typeof https = (await import('node:https')).default;
      const tls = secured(identity, hostOf(this.#origin));
      maker = { request, agent: new Agent({ ...options, ...tls }) };
      if (this.#dial !== undefined) {
        const { connect } = await import('node:tls');
        this.#dialFor(maker.agent, 443, (socket) => connect({ ...tls, socket, ALPNProtocols: ['http/1.1'] }));
      }
    } else {
      maker = { request: http.request, agent: new http.Agent(options) };
      this.#dialFor(maker.agent, 80, (socket) => socket);
    }
    this.#makers.set(purpose, maker);
    return maker;
  }

  /** Makes an agent connect through the proxy, if there is one. */
  #dialFor(agent: http.Agent, port: number, then: (socket: Socket) => Socket): void {
    const dial = this.#dial;
    if (dial === undefined) return;
    const made = (done: (error: Error | null, socket?: Socket) => void) => {
      dial(hostOf(this.#origin), Number(this.#origin.port || port)).then(
        (socket) => done(null, then(socket)),
        (error: Error) => done(error),
      );
    };
    agent.createConnection = (_, done) => {
      if (done !== undefined) made(done as Parameters<typeof made>[0]);
      return undefined;
    };
  }

  async #send(purpose: Purpose, identity: Trust, outgoing: Outgoing, protocol?: string): Promise<Incoming | Upgraded> {
    const { signal } = outgoing;
    if (signal.aborted) throw reasonOf(signal);
    let request: http.ClientRequest;
    try {
      const { agent, request: make } = await this.#for(purpose, identity);
      request = make({
        agent,
        host: hostOf(this.#origin),
        ...(this.#origin.port === '' ? {} : { port: this.#origin.port }),
        method: outgoing.method,
        path: outgoing.path,
        headers: headersOf(outgoing, protocol),
        maxHeaderSize: MAX_HEAD,
      });
    } catch (error) {
      // The error about a path or a header that cannot be sent, or about a certificate that cannot be read.
      throw new ConnectionError(asError(error).message, false, { cause: error });
    }
    return underWay(request, this.#origin.protocol === 'https:', outgoing);
  }
}

/** Resolves to the head of a request's answer, or to its connection. Rejects like {@link Connections.exchange}. */
function underWay(request: http.ClientRequest, isSecure: boolean, outgoing: Outgoing): Promise<Incoming | Upgraded> {
  const { signal, guard, body: text } = outgoing;
  return new Promise((resolve, reject) => {
    const body = new Body();
    let sent = false;
    const fail = (error: Error) => {
      signal.removeEventListener('abort', abort);
      reject(error);
      body.fail(error);
    };
    const abort = () => {
      fail(reasonOf(signal));
      request.destroy();
    };
    const broken = (error: Error) => fail(new ConnectionError(error.message, sent, { cause: error }));
    const write = () => {
      try {
        guard?.();
      } catch (error) {
        fail(asError(error));
        request.destroy();
        return;
      }
      sent = true;
      request.end(text);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    request.on('error', broken);
    request.once('socket', (socket) => whenConnected(socket, isSecure, request, write));
    request.once('upgrade', ({ headers }, socket, head) => {
      signal.removeEventListener('abort', abort);
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve({ socket, headers });
    });
    request.once('response', (response) => {
      body.onWait = (wait) => (wait ? response.pause() : response.resume());
      body.onLeave = () => request.destroy();
      response.on('data', (piece: Buffer) => body.push(piece));
      response.once('end', () => {
        signal.removeEventListener('abort', abort);
        body.end();
      });
      response.on('error', broken);
      resolve(new Answer(response.statusCode ?? 0, response.headers, body));
    });
  });
}

/** Calls the function when a connection is ready. If a connection takes too long, its request fails. */
function whenConnected(socket: Socket, isSecure: boolean, request: http.ClientRequest, then: () => void): void {
  // A connection through a proxy is ready when its request gets it.
  if (request.reusedSocket || (!isSecure && !socket.connecting)) {
    then();
    return;
  }
  const timer = setTimeout(() => {
    const late = new Error(`no connection within ${CONNECT_TIMEOUT_MS} ms`);
    request.destroy(Object.assign(late, { code: 'ETIMEDOUT', address: request.host }));
  }, CONNECT_TIMEOUT_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.once(isSecure ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer);
    then();
  });
}

function headersOf({ headers, body }: Outgoing, protocol: string | undefined): http.OutgoingHttpHeaders {
  return {
    ...headers,
    ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
    ...(protocol === undefined ? {} : { connection: 'Upgrade', upgrade: protocol }),
  };
}

function secured(identity: Trust, host: string) {
  // A certificate must match the trusted name, not the name in a Host header. For an address, the client sends no
  // server name.
  return { servername: isIP(host) === 0 ? host : '', ...tlsOptions(identity) };
}

/** The host without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
