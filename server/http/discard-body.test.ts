import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  constants,
  type SecureClientSessionOptions,
} from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { aroundAll } from '../testing/around-all.ts';
import { type TestReplica, testPki } from '../testing/replica.ts';

const MEGABYTE = 1 << 20;
const PIECE = Buffer.alloc(64 * 1024, 'x');
const CHUNK = Buffer.concat([Buffer.from(`${PIECE.length.toString(16)}\r\n`), PIECE, Buffer.from('\r\n')]);

describe('a request body that the server does not read', () => {
  let replica: TestReplica;
  aroundAll((started) => {
    replica = started;
  });
  let socket: TLSSocket;
  let heard: string;

  beforeEach(async () => {
    socket = connect({ host: '127.0.0.1', port: replica.port, servername: 'localhost', ca: testPki().read('ca.crt') });
    heard = '';
    socket.on('error', () => {}).setMaxListeners(0);
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
    await once(socket, 'secureConnect');
  });

  afterEach(() => socket.destroy());

  /** A client without rights. */
  const post = (framing: string) =>
    socket.write(`POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n\r\n`);
  const answers = () => heard.match(/HTTP\/1\.1 \d+/g) ?? [];
  const until = async (check: () => boolean) => {
    for (let n = 0; !check() && !socket.closed; n++, await sleep(5)) assert.ok(n < 1000);
  };

  /**
   * Sends a body of this length, as fast as the server reads it, after the answer to its head. Resolves to the number
   * of sent bytes.
   */
  async function pour(piece: Buffer, length: number): Promise<number> {
    const before = answers().length;
    await until(() => answers().length > before);
    let sent = 0;
    while (sent < length && socket.writable) {
      sent += piece.length;
      const isTaken = socket.write(piece);
      if (!isTaken) await new Promise<void>((resolve) => socket.once('drain', resolve).once('close', resolve));
    }
    return sent;
  }

  it('does not block the next request on the connection', async () => {
    for (const round of [1, 2]) {
      post(`Content-Length: ${3 * MEGABYTE}`);
      assert.equal(await pour(PIECE, 3 * MEGABYTE), 3 * MEGABYTE);
      await until(() => answers().length === round);
    }
    post('Content-Length: 0');
    await until(() => answers().length === 3);
    assert.deepEqual(answers(), Array(3).fill('HTTP/1.1 403'));
    assert.ok(!socket.closed);
  });

  it('ends the connection if it is too large, even if the client sends it without a pause', async () => {
    post('Transfer-Encoding: chunked');
    const sent = await pour(CHUNK, 200 * MEGABYTE);
    await until(() => socket.closed);
    assert.deepEqual(answers(), ['HTTP/1.1 403']);
    // The system buffers some of it.
    assert.ok(sent < 40 * MEGABYTE, `${sent / MEGABYTE} MB were sent`);
  });

  it('ends the connection if several bodies together are too large', async () => {
    let sent = 0;
    for (let n = 0; n < 100 && socket.writable; n++) {
      post(`Content-Length: ${3 * MEGABYTE}`);
      sent += await pour(PIECE, 3 * MEGABYTE);
    }
    await until(() => socket.closed);
    assert.ok(sent < 40 * MEGABYTE, `${sent / MEGABYTE} MB were sent`);
  });

  const connectStreams = async (options: SecureClientSessionOptions) => {
    const session = connectHttp2(`https://localhost:${replica.port}`, {
      ca: testPki().read('ca.crt'),
      lookup: (_name, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
      ...options,
    });
    session.on('error', () => {}).setMaxListeners(0);
    await once(session, 'remoteSettings');
    return session;
  };
  const path = '/api/v1/namespaces/default/configmaps';
  /** How the stream of a request without rights ends. */
  const endOf = async (session: ClientHttp2Session, body: Buffer) => {
    const stream = session.request({ ':method': 'POST', ':path': path });
    const closed = new Promise<void>((resolve) => stream.once('close', () => resolve()));
    let status: number | undefined;
    stream.on('error', () => {}).once('response', (headers) => (status = headers[':status']));
    stream.resume().end(body);
    await closed;
    return `${status} ${stream.rstCode}`;
  };

  for (const [count, megabytes] of [
    [12, 1],
    [100, 3],
  ] as const)
    it(`does not prevent the answer on each of ${count} streams of a connection, each with ${megabytes} MB`, async () => {
      // A Node.js client resets its own streams if more than 10 MB are waiting in it.
      const session = await connectStreams({ maxSessionMemory: 2_000 });
      const body = Buffer.alloc(megabytes * MEGABYTE, 'x');
      const ends = await Promise.all(Array.from({ length: count }, () => endOf(session, body)));
      assert.deepEqual(new Set(ends), new Set([`403 ${constants.NGHTTP2_NO_ERROR}`]));
      assert.equal(await endOf(session, Buffer.from('x')), `403 ${constants.NGHTTP2_NO_ERROR}`);
      session.destroy();
    });

  it('ends its stream only after the answer, even if the client reads the answer late', async () => {
    const session = await connectStreams({ settings: { initialWindowSize: 0 } });
    const stream = session.request({ ':method': 'POST', ':path': path });
    stream.on('error', () => {}).write('{');
    await sleep(6_000);
    session.settings({ initialWindowSize: 65_535 });
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await new Promise<void>((resolve) => stream.once('close', () => resolve()));
    assert.equal(stream.rstCode, constants.NGHTTP2_NO_ERROR);
    assert.equal(JSON.parse(text).code, 403);
    session.destroy();
  });
});
