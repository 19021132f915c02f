import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { CN, type MadeCertificate, makeAuthority, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';

/** A server on loopback for outbound requests of the tested code. */
export interface TestServer {
  readonly url: string;
  /** The authority (PEM) of its certificate. */
  readonly ca: string;
  readonly authority: MadeCertificate;
  /** The number of received requests. */
  readonly requests: number;
  stop(): Promise<void>;
}

export type TestHandler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/**
 * Starts a TLS server that asks clients for certificates of its own authority. Its certificate has the names `hosts` in
 * addition to 127.0.0.1.
 */
export async function startTlsServer(
  handler: TestHandler,
  requireClient = false,
  hosts: readonly string[] = [],
): Promise<TestServer> {
  const authority = makeAuthority('test authority');
  const own = makeCertificate({
    subject: [[CN, 'test server']],
    by: authority,
    usages: [SERVER_AUTH],
    ips: ['127.0.0.1'],
    hosts,
  });
  let requests = 0;
  const server = https.createServer(
    {
      cert: own.pem,
      key: own.keyPem,
      ca: authority.pem,
      requestCert: requireClient,
      rejectUnauthorized: requireClient,
    },
    (request, response) => {
      requests++;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => handler(request, response, Buffer.concat(chunks).toString('utf8')));
    },
  );
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: authority.pem,
    authority,
    get requests() {
      return requests;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      // Clients may be connecting again. A connection without a request is not counted.
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Answers JSON. */
export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(value));
}
