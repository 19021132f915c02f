import https from 'node:https';
import type { Pki } from './pki.ts';

/** An answer with its whole body. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Sends one request to a local replica as the administrator of a PKI folder, on a separate connection. Patches are
 * merge patches.
 */
export function apiRequest(
  pki: Pki,
  port: number,
  method: string,
  path: string,
  body?: unknown,
  timeoutMs = 10_000,
): Promise<ApiAnswer> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        agent: false,
        ca: pki.read('ca.crt'),
        cert: pki.read('admin.crt'),
        key: pki.read('admin.key'),
        headers:
          body === undefined ? {} : { 'Content-Type': `application/${method === 'PATCH' ? 'merge-patch+' : ''}json` },
        timeout: timeoutMs,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
        );
      },
    );
    request.once('timeout', () => request.destroy(new Error(`no answer from port ${port} within ${timeoutMs} ms`)));
    request.once('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
