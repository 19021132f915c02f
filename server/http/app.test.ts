import { deepEqual, equal, match } from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OutgoingResponse } from '../api/exchange.ts';
import { createApp, listenerOf, messagesOf } from './app.ts';

/** The answer of `respond`, as a client gets it over HTTP/1.1. */
async function answered(method: string, respond: (response: OutgoingResponse) => void) {
  const app = createApp((_, response) => respond(response));
  const server = http.createServer(messagesOf(app), listenerOf(app));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise<{ status: number | undefined; type: string | undefined; body: string }>(
      (resolve, reject) => {
        const request = http.request({ host: '127.0.0.1', port, method }, (response) => {
          let body = '';
          response.on('data', (chunk: Buffer) => (body += chunk));
          response.on('end', () =>
            resolve({ status: response.statusCode, type: response.headers['content-type'], body }),
          );
        });
        request.on('error', reject).end();
      },
    );
  } finally {
    server.close();
  }
}

describe('the head of an HTTP/1.1 response', () => {
  it('can be taken once and sent in one piece with the body', async () => {
    const got = await answered('GET', (response) => {
      response.setHeader('Content-Type', 'text/plain');
      response.setHeader('Content-Length', 5);
      equal(response.takeHead?.(), undefined);
      response.writeHead(201);
      const head = response.takeHead?.() ?? '';
      match(head, /^HTTP\/1\.1 201 Created\r\n[\s\S]*\r\n\r\n$/);
      equal(response.takeHead?.(), undefined);
      response.end(Buffer.from(`${head}hello`));
    });
    deepEqual(got, { status: 201, type: 'text/plain', body: 'hello' });
  });

  for (const [method, status] of [
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ] as const)
    it(`is sent on its own if there is no body: ${method} ${status}`, async () => {
      const got = await answered(method, (response) => {
        response.writeHead(status);
        equal(response.takeHead?.(), undefined);
        response.end();
      });
      deepEqual(got, { status, type: undefined, body: '' });
    });
});
