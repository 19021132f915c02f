import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { CN, type MadeCertificate, makeAuthority, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';

/** A TLS server of one group version, with a certificate of a separate authority. The test sets its behaviour. */
export class ExtensionServer {
  readonly group: string;
  readonly authority: MadeCertificate = makeAuthority('extension-ca');
  /** The received requests, in their order. */
  readonly seen: IncomingMessage[] = [];
  /** Answers paths below the group version. The server itself answers discovery. */
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => {
    response.writeHead(404).end();
  };
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void = (_request, socket) => {
    socket.destroy();
  };
  /** The media type of the aggregated discovery document; undefined if it has none. */
  aggregated: string | undefined;
  /** Whether it publishes no document of OpenAPI 3.0. */
  onlyV2 = false;
  readonly #server: https.Server;

  /**
   * `serverName` is in the certificate. `clientCa` verifies client certificates. Clients without a certificate may
   * connect too.
   */
  constructor(
    group: string,
    { serverName, clientCa, expired = false }: { serverName: string; clientCa?: string; expired?: boolean },
  ) {
    this.group = group;
    const { pem, keyPem } = makeCertificate({
      subject: [[CN, 'extension']],
      by: this.authority,
      hosts: [serverName],
      usages: [SERVER_AUTH],
      from: -3,
      to: expired ? -1 : 1,
    });
    this.#server = https.createServer(
      {
        cert: pem,
        key: keyPem,
        requestCert: true,
        rejectUnauthorized: false,
        ...(clientCa && { ca: clientCa }),
      },
      (request, response) => this.#respond(request, response),
    );
    this.#server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
    this.#server.on('tlsClientError', () => {});
  }

  async start(port = 0): Promise<this> {
    this.#server.listen(port);
    await once(this.#server, 'listening');
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The user in a request's certificate, if a trusted authority has signed it. */
  static clientOf(request: IncomingMessage): string | undefined {
    const socket = request.socket as TLSSocket;
    return socket.authorized ? socket.getPeerCertificate().subject.CN?.toString() : undefined;
  }

  /** Stops the server if it is running. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const discovery = `/apis/${this.group}/v1`;
    if (request.url === discovery) {
      const resources = [{ name: 'things', singularName: '', namespaced: true, kind: 'Thing', verbs: ['get', 'list'] }];
      const list = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${this.group}/v1`, resources };
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(list));
      return;
    }
    if (request.url === '/apis' && this.aggregated !== undefined) {
      const resource = {
        resource: 'ownthings',
        responseKind: { group: '', version: '', kind: 'Thing' },
        verbs: ['get'],
      };
      const items = [{ metadata: { name: this.group }, versions: [{ version: 'v1', resources: [resource] }] }];
      if (request.headers['if-none-match'] === '"7"') response.writeHead(304).end();
      else
        response
          .writeHead(200, { 'Content-Type': this.aggregated, ETag: '"7"' })
          .end(JSON.stringify({ kind: 'APIGroupDiscoveryList', items }));
      return;
    }
    const key = `apis/${this.group}/v1`;
    if (request.url === '/openapi/v3' && !this.onlyV2) {
      const paths = { [key]: { serverRelativeURL: `/openapi/v3/${key}?hash=ABC` } };
      response.writeHead(200, { 'Content-Type': 'application/json', ETag: '"1"' }).end(JSON.stringify({ paths }));
      return;
    }
    if (request.url === `/openapi/v3/${key}?hash=ABC`) {
      const isJson = request.headers.accept === 'application/json';
      response.writeHead(isJson ? 200 : 406, { 'Content-Type': 'application/json' });
      response.end(isJson ? '{"openapi":"3.0.0","info":{"title":"things"}}' : '');
      return;
    }
    if (request.url === '/openapi/v2') {
      const paths = { [`/${key}/things`]: { get: { schema: { $ref: '#/definitions/orch.Thing' } } } };
      const whole = { swagger: '2.0', paths, definitions: { 'orch.Thing': { type: 'object' } } };
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(whole));
      return;
    }
    if (request.url === '/apis' || request.url === '/openapi/v3') {
      response.writeHead(404).end();
      return;
    }
    this.seen.push(request);
    this.answer(request, response);
  }
}
