import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { mock } from 'node:test';
import { createSecureContext } from 'node:tls';
import { CallError } from './call-error.ts';
import { GrpcStream } from './grpc-stream.ts';
import { CutProxy } from './testing/cut-proxy.ts';
import { answer, FakeGrpcServer, framed, type Handler, reset, responseHead } from './testing/fake-grpc-server.ts';

/** The result of a stream: its messages, and then the failure if there is one. */
interface Outcome {
  readonly messages: readonly string[];
  readonly error?: { readonly sent: boolean; readonly code?: number; readonly says: RegExp };
}

async function check(stream: GrpcStream, { messages, error }: Outcome): Promise<void> {
  const seen: string[] = [];
  let failure: unknown;
  try {
    for await (const message of stream) {
      seen.push(String(message));
    }
  } catch (thrown) {
    failure = thrown;
  }
  assert.deepEqual(seen, messages);
  if (!error) {
    assert.equal(failure, undefined);
    return;
  }
  assert.ok(failure instanceof CallError, String(failure));
  assert.match(failure.message, error.says);
  assert.deepEqual(
    { sent: failure.sent, answered: failure.answered, code: failure.code },
    { sent: error.sent, answered: error.code !== undefined, code: error.code ?? failure.code },
  );
}

const lost = (says: RegExp, messages: readonly string[] = []): Outcome => ({ messages, error: { sent: true, says } });
const unsent = (says: RegExp): Outcome => ({ messages: [], error: { sent: false, says } });

/** Sends these bytes and, when they are on their way, does something. */
const after =
  (bytes: Buffer, what: (stream: ServerHttp2Stream) => void): Handler =>
  (stream) => {
    stream.respond(responseHead);
    stream.write(bytes, () => what(stream));
  };

const two = Buffer.concat([framed('one'), framed('two')]);
const half = Buffer.concat([framed('one'), framed('two').subarray(0, 6)]);
const large = 'x'.repeat(9_000_000);

const cases: readonly (readonly [string, Handler, Outcome])[] = [
  ['messages', (stream) => answer(stream, [framed('one'), framed('two')]), { messages: ['one', 'two'] }],
  ['messages in one chunk', (stream) => answer(stream, [two]), { messages: ['one', 'two'] }],
  [
    'messages in single bytes',
    (stream) =>
      answer(
        stream,
        [...two].map((byte) => Buffer.of(byte)),
      ),
    { messages: ['one', 'two'] },
  ],
  ['an empty message', (stream) => answer(stream, [framed('')]), { messages: [''] }],
  ['a message of 9 MB', (stream) => answer(stream, [framed(large)]), { messages: [large] }],
  ['an immediate end', (stream) => answer(stream, []), { messages: [] }],
  ['an end in the middle of a message', (stream) => answer(stream, [half]), lost(/not complete/, ['one'])],
  [
    'an error in a response that has only trailers',
    (stream) =>
      stream.respond(
        { ...responseHead, 'grpc-status': '16', 'grpc-message': 'etcdserver: 100%25' },
        { endStream: true },
      ),
    { messages: [], error: { sent: true, code: 16, says: /^etcdserver: 100%$/ } },
  ],
  [
    'an error after a message',
    (stream) => answer(stream, [framed('one')], { 'grpc-status': '14', 'grpc-message': 'etcdserver: no leader' }),
    { messages: ['one'], error: { sent: true, code: 14, says: /^etcdserver: no leader$/ } },
  ],
  [
    'an error in the middle of a message',
    (stream) => answer(stream, [half], { 'grpc-status': '2', 'grpc-message': 'no' }),
    { messages: ['one'], error: { sent: true, code: 2, says: /^no$/ } },
  ],
  ['trailers without a status', (stream) => answer(stream, [two], { other: '0' }), lost(/no status/, ['one', 'two'])],
  ['no trailers', after(two, (stream) => stream.end()), lost(/without a status/, ['one', 'two'])],
  ['only headers', (stream) => stream.respond(responseHead, { endStream: true }), lost(/no status/)],
  [
    'an HTTP error',
    (stream) => stream.respond({ ':status': 503, 'content-type': 'application/grpc' }, { endStream: true }),
    lost(/503/),
  ],
  [
    'a web page',
    (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'text/html' });
      stream.end('<html>');
    },
    lost(/text\/html/),
  ],
  ['a compressed message', (stream) => answer(stream, [framed('one').fill(1, 0, 1)]), lost(/compressed/)],
  ['a refused stream', (stream) => reset(stream, 'NGHTTP2_REFUSED_STREAM'), unsent(/refused/)],
  ['a reset stream', (stream) => reset(stream, 'NGHTTP2_INTERNAL_ERROR'), lost(/code 2/)],
  [
    'a stream reset in the middle of a message',
    after(half, (stream) => setTimeout(() => reset(stream, 'NGHTTP2_CANCEL'), 20)),
    lost(/without a status/, ['one']),
  ],
  ['a broken connection', (stream) => stream.session!.socket.destroy(), lost(/going away|dropped/)],
  [
    'a connection broken in the middle of a message',
    after(half, (stream) => setTimeout(() => stream.session!.socket.destroy(), 20)),
    lost(/going away|dropped|without a status/, ['one']),
  ],
  [
    'a GOAWAY that lets this stream finish',
    (stream, _, server) => {
      server.sayGoodbye(stream.session!, constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1);
      void answer(stream, [two]);
    },
    { messages: ['one', 'two'] },
  ],
];

describe('GrpcStream', () => {
  let server: FakeGrpcServer;
  let stream: GrpcStream;
  const open = (url = server.url) => {
    stream = new GrpcStream({ url, tls: undefined }, '/w/Watch', { token: 'secret' });
    return stream;
  };
  const gone = async () => {
    while (server.sessions.size > 0) await new Promise(setImmediate);
  };

  beforeEach(async () => {
    server = await FakeGrpcServer.start(() => {});
  });

  afterEach(async () => {
    stream.close();
    await server.stop();
  });

  describe('after an answer with', () => {
    for (const [what, handler, expected] of cases) {
      const { messages, error } = expected;
      it(`${what}: ${messages.length} messages, then ${error?.says ?? 'ends'}`, async () => {
        server.handler = handler;
        await check(open(), expected);
        // After any such failure, the connection is closed completely.
        await gone();
      });
    }
  });

  it('sends the headers that gRPC requires, and messages written before and after it connects', async () => {
    server.handler = (call, headers) => {
      const { ':method': method, ':path': path, 'content-type': type, te, hasleader, token } = headers;
      call.respond(responseHead);
      call.write(framed(JSON.stringify({ method, path, type, te, hasleader, token })));
      call.on('data', (chunk) => call.write(chunk));
    };
    open().write(framed('early'));
    const messages = stream[Symbol.asyncIterator]();
    const next = async () => String((await messages.next()).value);
    assert.deepEqual(JSON.parse(await next()), {
      method: 'POST',
      path: '/w/Watch',
      type: 'application/grpc',
      te: 'trailers',
      hasleader: 'true',
      token: 'secret',
    });
    assert.equal(await next(), 'early');
    stream.write(framed('late'));
    assert.equal(await next(), 'late');
  });

  it('ends without an error when closed during reads and writes', async () => {
    server.handler = (call) => call.respond(responseHead);
    const ended = check(open(), { messages: [] });
    while (server.sessions.size === 0) await new Promise(setImmediate);
    stream.close();
    stream.write(framed('too late'));
    await ended;
    await gone();
  });

  it('ends without an error when closed before it connects', async () => {
    open().close();
    await check(stream, { messages: [] });
  });

  it('closes when the consumer leaves the iteration', async () => {
    server.handler = (call) => {
      call.respond(responseHead);
      call.write(two);
    };
    for await (const message of open()) {
      assert.equal(String(message), 'one');
      break;
    }
    await gone();
  });

  it('fails at once without a server', async () => {
    await server.stop();
    await check(open(), unsent(/No connection established: .*ECONNREFUSED/));
  });

  it('fails if the certificates cannot be read', async () => {
    stream = new GrpcStream(
      { url: server.url.replace('http:', 'https:'), tls: () => createSecureContext({ cert: 'no certificate' }) },
      '/',
      {},
    );
    await check(stream, unsent(/PEM/));
  });

  it('stops the server from sending while the consumer is slow, and loses no message', async () => {
    const count = 2_000;
    let sent = 0;
    server.handler = async (call) => {
      call.respond(responseHead, { waitForTrailers: true });
      call.on('wantTrailers', () => call.sendTrailers({ 'grpc-status': '0' }));
      for (; sent < count; sent++) {
        await new Promise((resolve) => call.write(framed(Buffer.alloc(10_000, `${sent}|`)), resolve));
      }
      call.end();
    };
    const messages = open()[Symbol.asyncIterator]();
    let taken = 0;
    const take = async () => {
      const { value, done } = await messages.next();
      if (!done) {
        assert.ok(value.toString().startsWith(`${taken}|`));
        taken += 1;
      }
      return !done;
    };
    await take();
    let before = -1;
    while (before !== sent) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.ok(sent < 500, `${sent} messages of 10 KB were sent and not taken`);
    while (await take());
    assert.equal(taken, count);
  });

  it('does not keep the memory of a large read for a small message', async () => {
    server.handler = (call) =>
      answer(call, [Buffer.concat(Array.from({ length: 500 }, () => framed('x'.repeat(100))))]);
    for await (const message of open()) {
      assert.ok(message.buffer.byteLength <= Buffer.poolSize, `${message.buffer.byteLength}`);
    }
  });

  it('detects that the server is frozen', async () => {
    mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
    const proxy = await CutProxy.start(server.port);
    try {
      const arrived = new Promise((resolve) => {
        server.handler = resolve;
      });
      const ended = check(open(proxy.endpoint), lost(/Keepalive/));
      await arrived;
      proxy.freeze();
      mock.timers.tick(6_000);
      mock.timers.tick(2_000);
      await ended;
    } finally {
      mock.timers.reset();
      await proxy.close();
    }
  });

  it('keeps the connection of a silent server that answers pings', async () => {
    mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
    try {
      const arrived = new Promise<ServerHttp2Stream>((resolve) => {
        server.handler = resolve;
      });
      const ended = check(open(), { messages: ['one', 'two'] });
      const call = await arrived;
      for (let i = 0; i < 3; i++) {
        const pinged = once(call.session!, 'ping');
        mock.timers.tick(6_000);
        await pinged;
        // Its answer is on the way back.
        await new Promise((resolve) => call.session!.ping(resolve));
        mock.timers.tick(2_000);
      }
      await answer(call, [two]);
      await ended;
    } finally {
      mock.timers.reset();
    }
  });
});
