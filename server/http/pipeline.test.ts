import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pipeline } from './pipeline.ts';

const MEGABYTE = Buffer.alloc(1 << 20, 'x');

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

describe('pipelined requests on a connection', () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });

  async function connected(listener: RequestListener): Promise<Socket> {
    const pipeline = new Pipeline();
    const server = createServer();
    server.on('request', (request, response) =>
      pipeline.enter(request.socket, response, () => listener(request, response)),
    );
    server.on('clientError', (_error, socket) => pipeline.afterAll(socket, () => socket.end('refused')));
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
    return socket;
  }

  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  it('are answered one after the other, each after the client has received the answer before', async () => {
    const begun: string[] = [];
    let atOnce = 0;
    let most = 0;
    const socket = await connected((request, response) => {
      begun.push(request.url ?? '');
      most = Math.max(most, ++atOnce);
      response.prependOnceListener('close', () => atOnce--);
      response.end(MEGABYTE);
    });
    const paths = Array.from({ length: 60 }, (_, i) => `/${i}`);
    socket.pause();
    socket.write(paths.map(get).join(''));
    // The system's buffers hold some megabytes for a client that does not read.
    for (let seen = -1; seen < begun.length; await sleep(100)) seen = begun.length;
    assert.ok(begun.length < 50, `${begun.length} answers for a client that reads none`);
    let length = 0;
    socket.on('data', (chunk: Buffer) => (length += chunk.length)).resume();
    while (length < 60 * MEGABYTE.length) await once(socket, 'data');
    assert.deepEqual(begun, paths);
    assert.equal(most, 1);
  });

  it('end the connection if there are too many', async () => {
    let begun = 0;
    const socket = await connected(() => begun++);
    socket.write(get('/').repeat(200));
    await closed(socket);
    assert.equal(begun, 1);
  });

  it('end the connection if they are too long', async () => {
    let begun = 0;
    const socket = await connected(() => begun++);
    socket.write(get(`/${'x'.repeat(15_000)}`).repeat(90));
    await closed(socket);
    assert.equal(begun, 1);
  });

  it('are not started after the connection ends', async () => {
    const begun: string[] = [];
    const socket = await connected((request, response) => {
      begun.push(request.url ?? '');
      response.shouldKeepAlive = false;
      response.end(MEGABYTE);
    });
    socket.resume().write(get('/a') + get('/b'));
    await closed(socket);
    assert.deepEqual(begun, ['/a']);
  });

  it('are answered before the server refuses data that is not HTTP', async () => {
    let finish: (() => void) | undefined;
    const socket = await connected((_request, response) => {
      finish = () => void response.end('first');
    });
    let heard = '';
    socket.on('data', (chunk) => (heard += String(chunk)));
    socket.write(`${get('/')}nonsense\r\n\r\n`);
    while (finish === undefined) await sleep(10);
    await sleep(100);
    assert.equal(heard, '');
    finish();
    await closed(socket);
    assert.match(heard, /first[\s\S]*refused$/);
  });
});
