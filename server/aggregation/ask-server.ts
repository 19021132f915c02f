import type { IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { Naming } from '../naming/naming.ts';
import type { Backend } from '../outbound/backend.ts';

/** Limit of one answer, in milliseconds. */
const ANSWER_MS = 5_000;
/** How long answers may be, in bytes. */
const MAX_ANSWER = 32 << 20;

export interface ServerAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The user in whose name this server itself asks extension servers. */
export function aggregatorName(naming: Naming): string {
  return `system:${naming.prefixed('aggregator')}`;
}

/** Asks an extension server something in this server's own name. Rejects on anything but a complete answer in time. */
export function askServer(
  { agent, host, port }: Backend,
  path: string,
  options: {
    readonly userName: string;
    readonly accept?: string;
    readonly etag?: string | undefined;
    /** Longer answers are given up. */
    readonly maxBytes?: number;
    readonly signal: AbortSignal;
  },
): Promise<ServerAnswer> {
  const { userName, accept = 'application/json', etag, maxBytes = MAX_ANSWER, signal } = options;
  return new Promise((resolve, reject) => {
    const request = https.request({
      agent,
      host,
      port,
      path,
      headers: {
        Accept: accept,
        'User-Agent': userName,
        'X-Remote-User': userName,
        'X-Remote-Group': 'system:masters',
        ...(etag !== undefined && { 'If-None-Match': etag }),
      },
      signal,
    });
    const timer = setTimeout(() => request.destroy(new Error('context deadline exceeded')), ANSWER_MS);
    request.once('close', () => {
      clearTimeout(timer);
      reject(new Error('the connection was closed'));
    });
    request.on('error', reject);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) request.destroy(new Error(`the answer is longer than ${maxBytes} bytes`));
        else chunks.push(chunk);
      });
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.end();
  });
}
