import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CallError } from './call-error.ts';
import { GrpcChannel } from './grpc-channel.ts';
import { flag, frame, frameType, LARGEST_WINDOW, numbersFrame } from './http2/frame.ts';
import { encodeFields } from './http2/header-block.ts';
import { framed } from './testing/fake-grpc-server.ts';

const { endStream, endHeaders } = flag;
const settings = frame(frameType.settings, 0, 0);
const head = encodeFields([':status', '200', 'content-type', 'application/grpc']);
const status = encodeFields(['grpc-status', '0']);
/** The answer to the first call of a connection. */
const answer = [
  frame(frameType.headers, endHeaders, 1, head),
  frame(frameType.data, 0, 1, framed('yes')),
  frame(frameType.headers, endHeaders | endStream, 1, status),
];

describe('GrpcSession', () => {
  let server: Server;
  let channel: GrpcChannel;
  let url: string;
  let greet: (socket: Socket) => void;

  const listen = async (host: string): Promise<void> => {
    server = createServer({ noDelay: true }, (socket) => greet(socket.on('error', () => {})));
    server.listen(0, host);
    await once(server, 'listening');
    const address = server.address();
    assert.ok(address !== null && typeof address !== 'string');
    const name = host.includes(':') ? `[${host}]` : host;
    url = `http://${name}:${address.port}`;
    channel = new GrpcChannel({ url, tls: undefined });
  };
  const outcome = (body = framed('question')): Promise<string> =>
    channel.unary('/kv/Txn', body, 60_000).then(String, (error: unknown) => {
      assert.ok(error instanceof CallError);
      return error.sent ? 'lost' : 'unsent';
    });

  afterEach(async () => {
    channel.close();
    server.close();
    await once(server, 'close');
  });

  for (const host of ['127.0.0.1', '::1']) {
    it(`reaches ${host}`, async () => {
      greet = (socket) => {
        socket.write(settings);
        socket.once('data', () => socket.write(Buffer.concat(answer)));
      };
      await listen(host);
      assert.equal(await outcome(), 'yes');
    });
  }

  for (const how of ['ends', 'is reset'] as const) {
    it(`knows after each byte what became of a call whose connection ${how}`, async () => {
      const bytes = Buffer.concat(answer);
      let given = 0;
      greet = (socket) => {
        const cut = (): unknown => (how === 'ends' ? socket.end() : socket.resetAndDestroy());
        socket.write(settings);
        const arrived = (chunk: Buffer): void => {
          if (!chunk.includes('question')) return;
          socket.off('data', arrived);
          socket.write(bytes.subarray(0, given), cut);
        };
        socket.on('data', arrived);
      };
      await listen('127.0.0.1');
      for (; given <= bytes.length; given++) {
        const result = await outcome();
        // A reset may come before the bytes are read.
        const expected = given < bytes.length || (how === 'is reset' && result !== 'yes') ? 'lost' : 'yes';
        assert.equal(result, expected, `after ${given} bytes`);
        channel.close();
        channel = new GrpcChannel({ url, tls: undefined });
      }
    });
  }

  it('ends calls beyond the last one that the server works on as not sent, and those before as lost', async () => {
    let heard = Buffer.alloc(0);
    greet = (socket) => {
      socket.write(settings);
      socket.on('data', (chunk) => {
        heard = Buffer.concat([heard, chunk]);
        if (!heard.includes('last question')) return;
        heard = Buffer.alloc(0);
        socket.write(numbersFrame(frameType.goAway, 0, 5, 0), () => socket.end());
      });
    };
    await listen('127.0.0.1');
    const calls = ['1', '3', '5', '7', 'last'].map((name) => outcome(framed(`${name} question`)));
    assert.deepEqual(await Promise.all(calls), ['lost', 'lost', 'lost', 'unsent', 'unsent']);
  });

  it('closes a connection with a server that breaks the rules and takes nothing more', async () => {
    mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
    try {
      const whole = 32 << 20;
      let peer: Socket | undefined;
      greet = (socket) => {
        peer = socket;
        const room = Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff]);
        socket.write(frame(frameType.settings, 0, 0, room));
        socket.write(numbersFrame(frameType.windowUpdate, 0, LARGEST_WINDOW - 65_535));
        socket.once('data', () => {
          socket.pause();
          socket.write(frame(frameType.pushPromise, endHeaders, 1, head));
        });
      };
      await listen('127.0.0.1');
      assert.equal(await outcome(Buffer.alloc(whole)), 'lost');
      mock.timers.tick(6_000);
      let bytes = 0;
      peer!.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      peer!.resume();
      if (!peer!.destroyed) await once(peer!, 'close');
      assert.ok(bytes < whole / 2, `${bytes} bytes`);
    } finally {
      mock.timers.reset();
    }
  });

  it('gives every call an answer once over many connections, and keeps nothing of them', async () => {
    let calls = 0;
    greet = (socket) => {
      socket.write(settings);
      let heard = 0;
      socket.on('data', () => {
        heard += 1;
        if (heard === 1) socket.write(answer[0]!);
        setTimeout(() => socket.destroy(), 1);
      });
    };
    await listen('127.0.0.1');
    for (let round = 0; round < 50; round++) {
      const ends = await Promise.all(Array.from({ length: 20 }, () => outcome()));
      calls += ends.filter((end) => end === 'lost' || end === 'unsent').length;
      await sleep(1);
    }
    assert.equal(calls, 1000);
    channel.close();
    const open = (): boolean => process.getActiveResourcesInfo().includes('TCPSocketWrap');
    while (open()) await sleep(1);
  });
});
