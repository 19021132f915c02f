import { once } from 'node:events';
import { readFileSync, watch } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { ConfigError } from '#base/errors/config-error.ts';
import { readKeyPair } from '#program/flags/key-pair.ts';
import { readServingTls } from '#program/flags/serving-tls.ts';
import type { DebugPage, DebugRequest } from '#program/process/debug-pages.ts';
import type { ManagerFlags } from '../controller.ts';
import { healthPage } from './health-page.ts';
import { describe, type Visitors } from './visitors.ts';

/** The pages of the listener. */
export interface Pages {
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
  /** The reasons why the program cannot act yet, one line for each. Empty when it is ready. */
  readonly notReady: () => readonly string[];
  /** The checks of `/healthz`. */
  readonly checks: () => readonly string[];
  readonly configuration: () => unknown;
  /** The pages below `/debug`, if there are any. */
  readonly debug: ((request: DebugRequest) => Promise<DebugPage> | DebugPage | undefined) | undefined;
  /** The signal aborts when the program will end soon. */
  readonly ended: AbortSignal;
}

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const MOST_CONNECTIONS = 100;
/**
 * The largest body of a request in bytes, and the longest time of an answer. Clients send only numbers. A profile may
 * take half an hour.
 */
const LARGEST_BODY = 1024;
const LONGEST_SECONDS = 30 * 60;

/**
 * Serves health, metrics and pages about a program's process over TLS, to users with permission.
 * @throws ConfigError
 */
export async function serve(
  program: string,
  flags: ManagerFlags,
  pages: Pages,
  visitors: Visitors,
  log: Logger,
): Promise<Listening> {
  const port = flags.get('secure-port');
  const address = flags.get('bind-address');
  const { minVersion, ciphers } = readServingTls(flags.get('tls-min-version'), flags.get('tls-cipher-suites'));
  const tls = await servingPair(program, flags);
  const server = createServer(
    {
      ...tls.pair(),
      minVersion,
      ...(ciphers === undefined ? {} : { ciphers }),
      // The server requests a client certificate but does not check it: `visitors.ts` checks it with the trusted
      // authorities.
      requestCert: true,
      rejectUnauthorized: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: HEADERS_TIMEOUT_MS,
    },
    (request, response) => void answer(request, response, pages, visitors, log),
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.on('tlsClientError', () => {});
  const stopWatching = tls.onChange(() => {
    try {
      server.setSecureContext({ ...tls.pair(), minVersion, ...(ciphers === undefined ? {} : { ciphers }) });
      log.info('loaded a new serving certificate');
    } catch (err) {
      log.warn({ err }, 'the new serving certificate cannot be used');
    }
  });
  await listen(server, port, address, flags.get('permit-port-sharing'));
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    close: async () => {
      stopWatching();
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => {});
    },
  };
}

async function listen(server: Server, port: number, host: string, reusePort: boolean): Promise<void> {
  server.listen({ port, host, ...(reusePort ? { reusePort } : {}) });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ConfigError(`cannot listen on ${host}:${port}: ${(error as Error).message}`);
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  pages: Pages,
  visitors: Visitors,
  log: Logger,
): Promise<void> {
  response.setHeader('cache-control', 'no-cache, private');
  const send = (status: number, text: string, contentType = 'text/plain; charset=utf-8') => {
    response.writeHead(status, { 'content-type': contentType, 'x-content-type-options': 'nosniff' });
    response.end(request.method === 'HEAD' ? undefined : text);
  };
  const [at = '', ...rest] = (request.url ?? '').split('?');
  const query = new URLSearchParams(rest.join('?'));
  const method = request.method ?? 'GET';
  try {
    if (!visitors.isOpen(at)) {
      const visitor = await visitors.identify(request);
      if (visitor === undefined) return send(401, refusal(401, 'Unauthorized', 'Unauthorized'), JSON_TYPE);
      if (!(await visitors.mayGet(visitor, method, at))) {
        const what = `User ${JSON.stringify(visitor.name)} cannot ${method.toLowerCase()} path ${JSON.stringify(at)}`;
        return send(403, refusal(403, 'Forbidden', `forbidden: ${what}`), JSON_TYPE);
      }
    }
    const debugged = at.startsWith('/debug/')
      ? await pages.debug?.(debugRequest(request, response, at, query, pages))
      : undefined;
    if (debugged !== undefined) return await sendPage(response, debugged, method === 'HEAD');
    switch (at) {
      case '/healthz':
        return send(200, healthPage(pages.checks(), query));
      case '/livez':
        return send(200, 'ok');
      case '/readyz': {
        const missing = pages.notReady();
        return missing.length === 0 ? send(200, 'ok') : send(503, `${missing.join('\n')}\n`);
      }
      case '/metrics': {
        const { text, contentType } = await pages.metrics();
        return send(200, text, contentType);
      }
      case '/configz':
        return send(200, JSON.stringify(pages.configuration()), JSON_TYPE);
      default:
        return send(404, '404 page not found\n');
    }
  } catch (error) {
    log.warn({ path: at, reason: describe(error) }, 'the API server did not review the access of a client');
    if (!response.headersSent) send(503, 'the API server could not be asked\n');
    else response.destroy();
  }
}

const JSON_TYPE = 'application/json';

/** The body of an answer to a client that must not see a page. */
function refusal(code: number, reason: string, message: string): string {
  const details = code === 403 ? { details: {} } : {};
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...details,
    code,
  };
  return `${JSON.stringify(status)}\n`;
}

function debugRequest(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
  { ended }: Pages,
): DebugRequest {
  return {
    ...{ method: request.method ?? 'GET', path, query, secondsLeft: LONGEST_SECONDS },
    signal: () => {
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      return AbortSignal.any([gone.signal, ended]);
    },
    async readBody() {
      let body = Buffer.alloc(0);
      for await (const piece of request) {
        body = Buffer.concat([body, piece as Buffer]);
        if (body.length > LARGEST_BODY) break;
      }
      return body;
    },
  };
}

async function sendPage(
  response: ServerResponse,
  { status, headers, body }: DebugPage,
  isHead: boolean,
): Promise<void> {
  response.writeHead(status, headers);
  if (body === undefined || isHead) response.end();
  else if (typeof body === 'string' || Buffer.isBuffer(body)) response.end(body);
  else await pipeline(body, response);
}

interface ServingPair {
  pair(): { readonly cert: string | Buffer; readonly key: string | Buffer };
  /** Calls the function when the files have changed. Returns the function that ends this. */
  onChange(changed: () => void): () => void;
}

/** The certificate of the flags, or a certificate that is made for this process. */
async function servingPair(program: string, flags: ManagerFlags): Promise<ServingPair> {
  const certFile = flags.get('tls-cert-file');
  const keyFile = flags.get('tls-private-key-file');
  if ((certFile === '') !== (keyFile === ''))
    throw new ConfigError('flags --tls-cert-file and --tls-private-key-file belong together: give both or none');
  if (certFile === '') {
    const { CN, makeCertificate } = await import('#base/x509/make-certificate.ts');
    const made = makeCertificate({ subject: [[CN, program]], hosts: ['localhost'], ips: ['127.0.0.1'], to: 365 });
    return { pair: () => ({ cert: made.pem, key: made.keyPem }), onChange: () => () => {} };
  }
  const files = { certFile, keyFile, flags: { cert: '--tls-cert-file', key: '--tls-private-key-file' } };
  readKeyPair(files);
  const pair = () => ({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
  const read = () => Object.values(pair()).join();
  return {
    pair,
    onChange: (changed) => {
      let timer: NodeJS.Timeout | undefined;
      let known = read();
      const look = () => {
        try {
          const now = read();
          if (now === known) return;
          known = now;
        } catch {
          // One of the files is being replaced. It is read again when it is complete.
          return;
        }
        changed();
      };
      // The two files change one after the other. The folders are watched, because files are replaced and a folder may
      // contain other files too.
      const later = () => {
        clearTimeout(timer);
        timer = setTimeout(look, 1000);
        timer.unref();
      };
      const watchers = [...new Set([certFile, keyFile].map((file) => path.dirname(file)))].map((folder) =>
        watch(folder, { persistent: false }, later),
      );
      return () => {
        clearTimeout(timer);
        for (const watcher of watchers) watcher.close();
      };
    },
  };
}
