import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { mock } from 'node:test';
import { createSecureContext } from 'node:tls';
import { CallError } from './call-error.ts';
import { GrpcChannel } from './grpc-channel.ts';
import { CutProxy } from './testing/cut-proxy.ts';
import { answer, FakeGrpcServer, framed, type Handler, reset, responseHead } from './testing/fake-grpc-server.ts';

/** The result of a call: its answer, or the facts about its failure. */
type Outcome = string | (Pick<CallError, 'sent' | 'answered'> & { readonly code?: number; readonly says: RegExp });

const unsent = (says: RegExp): Outcome => ({ sent: false, answered: false, says });
const lost = (says: RegExp): Outcome => ({ sent: true, answered: false, says });
const refused = (code: number, says: RegExp): Outcome => ({ sent: true, answered: true, code, says });

async function check(call: Promise<Buffer>, expected: Outcome): Promise<void> {
  const result: unknown = await call.then(String, (error: unknown) => error);
  if (typeof expected === 'string') {
    assert.equal(result, expected);
    return;
  }
  assert.ok(result instanceof CallError, String(result));
  const { sent, answered, code, message } = result;
  assert.match(message, expected.says);
  assert.deepEqual({ sent, answered }, { sent: expected.sent, answered: expected.answered });
  assert.equal(code, expected.code ?? code);
}

const compressed = framed('yes').fill(1, 0, 1);
const large = 'x'.repeat(3_000_000);
const goAway: (code: number, lastStream: number) => Handler = (code, lastStream) => (stream, _, server) =>
  server.sayGoodbye(stream.session!, code, lastStream);

const answers: readonly (readonly [string, Handler, Outcome])[] = [
  ['a message', (stream) => answer(stream, [framed('yes')]), 'yes'],
  ['an empty message', (stream) => answer(stream, [framed('')]), ''],
  [
    'a message that arrives in single bytes',
    (stream) =>
      answer(
        stream,
        [...framed('yes')].map((byte) => Buffer.of(byte)),
      ),
    'yes',
  ],
  ['a message of 3 MB', (stream) => answer(stream, [framed(large)]), large],
  ['no message', (stream) => answer(stream, []), lost(/not complete/)],
  ['two messages', (stream) => answer(stream, [framed('yes'), framed('no')]), lost(/more than one/)],
  [
    'two messages in one chunk',
    (stream) => answer(stream, [Buffer.concat([framed('a'), framed('b')])]),
    lost(/more than one/),
  ],
  ['an incomplete message', (stream) => answer(stream, [framed('yes').subarray(0, 7)]), lost(/not complete/)],
  [
    'additional bytes after the message',
    (stream) => answer(stream, [framed('yes'), Buffer.of(0)]),
    lost(/not complete/),
  ],
  ['a compressed message', (stream) => answer(stream, [compressed]), lost(/compressed/)],
  [
    'an error in a response that has only trailers',
    (stream) =>
      stream.respond(
        { ...responseHead, 'grpc-status': '11', 'grpc-message': 'etcdserver: 100%25' },
        { endStream: true },
      ),
    refused(11, /^etcdserver: 100%$/),
  ],
  [
    'an error after headers',
    (stream) => answer(stream, [], { 'grpc-status': '14', 'grpc-message': 'etcdserver: no leader' }),
    refused(14, /^etcdserver: no leader$/),
  ],
  [
    'an error after a message',
    (stream) => answer(stream, [framed('yes')], { 'grpc-status': '2', 'grpc-message': 'no' }),
    refused(2, /^no$/),
  ],
  [
    'an error with a badly encoded text',
    (stream) => answer(stream, [], { 'grpc-status': '2', 'grpc-message': '100%' }),
    refused(2, /^100%$/),
  ],
  ['an error without a text', (stream) => answer(stream, [], { 'grpc-status': '2' }), refused(2, /^$/)],
  ['trailers without a status', (stream) => answer(stream, [framed('yes')], { other: '0' }), lost(/no status/)],
  [
    'no trailers',
    (stream) => {
      stream.respond(responseHead);
      stream.end(framed('yes'));
    },
    lost(/without a status/),
  ],
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
  ['a refused stream', (stream) => reset(stream, 'NGHTTP2_REFUSED_STREAM'), unsent(/refused/)],
  [
    'a stream refused after the answer has begun',
    (stream) => {
      stream.respond(responseHead);
      stream.write(framed('yes'), () => reset(stream, 'NGHTTP2_REFUSED_STREAM'));
    },
    lost(/code 7/),
  ],
  ['a stream reset with an error', (stream) => reset(stream, 'NGHTTP2_INTERNAL_ERROR'), lost(/code 2/)],
  ['a cancelled stream', (stream) => reset(stream, 'NGHTTP2_CANCEL'), lost(/code 8/)],
  ['a broken connection', (stream) => stream.session!.socket.destroy(), lost(/going away|dropped/)],
  ['a GOAWAY that names no call', goAway(constants.NGHTTP2_NO_ERROR, 0), unsent(/refused/)],
  ['a GOAWAY with an error that names no call', goAway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0), unsent(/refused/)],
  ['a GOAWAY with an error that names this call', goAway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 1), lost(/code 11/)],
  ['a stream error after GOAWAY that is not a refusal', goAway(constants.NGHTTP2_REFUSED_STREAM, 1), lost(/code 7/)],
  [
    'a GOAWAY that lets this call finish',
    (stream, _, server) => {
      server.sayGoodbye(stream.session!, constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1);
      void answer(stream, [framed('yes')]);
    },
    'yes',
  ],
];

describe('GrpcChannel', () => {
  let server: FakeGrpcServer;
  let channel: GrpcChannel;
  const call = (timeoutMs = 5_000) => channel.unary('/kv/Range', framed('question'), timeoutMs);
  const yes: Handler = (stream) => void answer(stream, [framed('yes')]);

  beforeEach(async () => {
    server = await FakeGrpcServer.start(yes);
    channel = new GrpcChannel({ url: server.url, tls: undefined });
  });

  afterEach(async () => {
    channel.close();
    await server.stop();
  });

  describe('after an answer with', () => {
    for (const [what, handler, expected] of answers) {
      const outcome =
        typeof expected === 'string' ? 'takes it' : `${expected.sent ? '' : 'not '}sent, ${expected.says}`;
      it(`${what}: ${outcome}`, async () => {
        server.handler = handler;
        await check(call(), expected);
        // After any such failure, the next call is answered.
        server.handler = yes;
        await check(call(), 'yes');
      });
    }
  });

  it('sends the headers and the body that gRPC requires', async () => {
    const seen = new Promise((resolve) => {
      server.handler = (stream, headers) => {
        const { ':method': method, ':path': path, 'content-type': type, te, hasleader, token } = headers;
        const timeout = headers['grpc-timeout'];
        stream.on('data', (chunk) =>
          resolve({ method, path, type, te, hasleader, token, timeout, body: String(chunk) }),
        );
        yes(stream, headers, server);
      };
    });
    await channel.unary('/kv/Range', framed('question'), 1_234.5, undefined, { token: 'secret' });
    assert.deepEqual(await seen, {
      method: 'POST',
      path: '/kv/Range',
      type: 'application/grpc',
      te: 'trailers',
      hasleader: 'true',
      token: 'secret',
      timeout: '1235m',
      body: String(framed('question')),
    });
  });

  it('uses one connection for many parallel calls', async () => {
    await Promise.all(Array.from({ length: 500 }, () => check(call(), 'yes')));
    assert.equal(server.sessions.size, 1);
  });

  it('cancels a call at its deadline, and tells the server', async () => {
    const closed = new Promise((resolve) => {
      server.handler = (stream) => stream.on('close', () => resolve(stream.rstCode));
    });
    await check(call(50), lost(/Deadline exceeded after 50 ms/));
    assert.equal(await closed, constants.NGHTTP2_CANCEL);
  });

  it('opens a new connection after a GOAWAY, and still accepts answers on the old one', async () => {
    const held = new Promise<() => void>((resolve) => {
      server.handler = (stream) => {
        server.sayGoodbye(stream.session!, constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1);
        resolve(() => void answer(stream, [framed('late')]));
      };
    });
    const first = call();
    const release = await held;
    server.handler = yes;
    while (server.sessions.size === 1) await check(call(), 'yes');
    release();
    await check(first, 'late');
  });

  it('fails calls at once without a server, and works again when the server is back', async () => {
    await check(call(), 'yes');
    await server.stop();
    await check(call(), unsent(/ECONNREFUSED/));
    await check(call(), unsent(/No connection established.*ECONNREFUSED/));
    await server.listen();
    let result: unknown;
    do {
      result = await call().then(String, (error: CallError) => error);
      assert.ok(result === 'yes' || (result instanceof CallError && !result.sent), String(result));
    } while (result !== 'yes');
  });

  it('fails its pending calls when it is closed', async () => {
    const arrived = new Promise((resolve) => {
      server.handler = resolve;
    });
    const under = call();
    await arrived;
    const [session] = server.sessions;
    const gone = once(session!, 'close');
    channel.close();
    await check(under, lost(/./));
    await gone;
    await check(call(), unsent(/closed/));
  });

  it('can be closed before its first call', () => {
    new GrpcChannel({ url: server.url, tls: undefined }).close();
  });

  it('fails every call if the certificates cannot be read', async () => {
    channel.close();
    channel = new GrpcChannel({
      url: server.url.replace('http:', 'https:'),
      tls: () => createSecureContext({ cert: 'no certificate' }),
    });
    await check(call(), unsent(/PEM/));
  });

  describe('with a server that accepts one call at a time', () => {
    beforeEach(async () => {
      await server.stop();
      server = await FakeGrpcServer.start(yes, { maxConcurrentStreams: 1 });
      channel.close();
      channel = new GrpcChannel({ url: server.url, tls: undefined });
    });

    it('sends one call after the other', async () => {
      let under = 0;
      server.handler = (stream, headers) => {
        under += 1;
        assert.equal(under, 1);
        stream.on('close', () => {
          under -= 1;
        });
        yes(stream, headers, server);
      };
      await Promise.all(Array.from({ length: 20 }, () => check(call(), 'yes')));
    });

    it('fails a call as unsent if it waits past its deadline', async () => {
      const arrived = new Promise<void>((resolve) => {
        server.handler = () => resolve();
      });
      const first = check(call(500), lost(/Deadline/));
      await arrived;
      await check(call(50), unsent(/waiting for a connection/));
      server.handler = yes;
      await first;
      await check(call(), 'yes');
    });
  });

  for (const [what, greet, timeoutMs, says] of [
    ['sends nothing', () => {}, 50, /waiting for a connection/],
    ['speaks another protocol', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 5_000, /No connection/],
    ['closes the connection', (socket) => socket.destroy(), 5_000, /No connection/],
  ] as readonly (readonly [string, (socket: Socket) => void, number, RegExp])[]) {
    it(`fails a call as unsent if the server ${what}`, async () => {
      const peer = createServer((socket) => {
        socket.on('error', () => {}).resume();
        greet(socket);
      }).listen(0, '127.0.0.1');
      await once(peer, 'listening');
      const { port } = peer.address() as AddressInfo;
      const other = new GrpcChannel({ url: `http://127.0.0.1:${port}`, tls: undefined });
      await check(other.unary('/kv/Range', framed('question'), timeoutMs), unsent(says));
      other.close();
      peer.close();
      await once(peer, 'close');
    });
  }

  it('cancels a call on both sides when its signal aborts', async () => {
    const giveUp = new AbortController();
    const closed = new Promise<void>((resolve) => {
      server.handler = (stream) => {
        stream.on('close', () => resolve());
        giveUp.abort();
      };
    });
    const under = channel.unary('/kv/Range', framed('question'), 60_000, giveUp.signal);
    await check(under, lost(/gave it up/));
    await closed;
    server.handler = yes;
    await check(call(), 'yes');
  });

  describe('keepalive', () => {
    let proxy: CutProxy;

    beforeEach(async () => {
      mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
      proxy = await CutProxy.start(server.port);
      channel.close();
      channel = new GrpcChannel({ url: proxy.endpoint, tls: undefined });
    });

    afterEach(async () => {
      mock.timers.reset();
      await proxy.close();
    });

    it('detects that the server is gone', async () => {
      const arrived = new Promise((resolve) => {
        server.handler = resolve;
      });
      const under = call(60_000);
      await arrived;
      proxy.freeze();
      mock.timers.tick(6_000);
      mock.timers.tick(2_000);
      await check(under, lost(/Keepalive/));
    });

    it('sends a ping immediately after a call without an answer', async () => {
      const arrived = new Promise((resolve) => {
        server.handler = resolve;
      });
      const under = call(60_000);
      await arrived;
      proxy.freeze();
      const missed = check(call(100), lost(/Deadline/));
      mock.timers.tick(100);
      await missed;
      mock.timers.tick(2_000);
      await check(under, lost(/Keepalive/));
    });

    it('keeps the connection of a server that answers, and of one without calls', async () => {
      const pings: unknown[] = [];
      await check(call(60_000), 'yes');
      // The stream of the call ends in the turn of the event loop in which its answer arrived.
      await new Promise(setImmediate);
      const [session] = server.sessions;
      session!.on('ping', (payload) => pings.push(payload));
      mock.timers.tick(6_000);
      await check(call(60_000), 'yes');
      assert.equal(pings.length, 0);
      const held = new Promise<() => void>((resolve) => {
        server.handler = (stream) => resolve(() => void answer(stream, [framed('late')]));
      });
      const under = call(60_000);
      const release = await held;
      const pinged = once(session!, 'ping');
      mock.timers.tick(6_000);
      await pinged;
      release();
      await check(under, 'late');
      mock.timers.tick(2_000);
      server.handler = yes;
      await check(call(60_000), 'yes');
      assert.equal(server.sessions.size, 1);
    });
  });
});
