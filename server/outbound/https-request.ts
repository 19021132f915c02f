import http from 'node:http';
import https from 'node:https';

import { type CountedCall, notCounted } from './call-metrics.ts';

/** How to reach a server over TLS; PEM texts. */
export interface TlsIdentity {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly serverName?: string | undefined;
  readonly insecure?: boolean | undefined;
}

export interface HttpsRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** Gives the request up. */
  readonly signal?: AbortSignal | undefined;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends requests to one server. */
export type HttpsClient = (request: HttpsRequest) => Promise<HttpsAnswer>;

/** Answers of the servers asked here are small; longer ones are an error. */
const MAX_BODY = 4 << 20;

/** A client with connections of its own that are kept. It rejects on anything but a complete answer in time. */
export function httpsClient(tls: TlsIdentity = {}, counted: CountedCall = notCounted): HttpsClient {
  const shared = { keepAlive: true, maxSockets: 32, timeout: 60_000 };
  const secure = new https.Agent({
    ...shared,
    ...(tls.ca && { ca: tls.ca }),
    ...(tls.cert && { cert: tls.cert }),
    ...(tls.key && { key: tls.key }),
    ...(tls.serverName && { servername: tls.serverName }),
    ...(tls.insecure && { rejectUnauthorized: false }),
  });
  const plain = new http.Agent(shared);
  const send = ({ url, method, headers, body, timeoutMs, signal }: HttpsRequest): Promise<HttpsAnswer> =>
    new Promise((resolve, reject) => {
      const encrypted = url.protocol === 'https:';
      const timer = AbortSignal.timeout(Math.ceil(timeoutMs));
      const open = encrypted ? https.request : http.request;
      const request = open(url, {
        method,
        agent: encrypted ? secure : plain,
        headers: {
          ...headers,
          ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
        },
        signal: signal === undefined ? timer : AbortSignal.any([timer, signal]),
      });
      request.on('error', reject);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('error', reject);
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_BODY) request.destroy(new Error(`the answer is longer than ${MAX_BODY} bytes`));
          else chunks.push(chunk);
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      });
      request.end(body);
    });
  return (request) =>
    counted({ method: request.method, host: request.url.host, body: request.body }, () => send(request));
}
