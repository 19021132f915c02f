import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Notes, request } from '../testing/http2-notes.ts';
import { Http2Connection } from './connection.ts';
import { flag, frame, frameType, numbersFrame } from './frame.ts';
import { encodeFields } from './header-block.ts';

const ok = encodeFields([':status', '200']);
const status = encodeFields(['grpc-status', '0']);
const { endStream, endHeaders, padded, priority, ack } = flag;
const settings = frame(frameType.settings, 0, 0);
const head = frame(frameType.headers, endHeaders, 1, ok);
const trailers = frame(frameType.headers, endHeaders | endStream, 1, status);
const data = (text: string, flags = 0): Buffer => frame(frameType.data, flags, 1, Buffer.from(text));
const setting = (id: number, value: number): Buffer =>
  frame(
    frameType.settings,
    0,
    0,
    Buffer.from([0, id, value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]),
  );

const good = ['head 200', 'trailers 0', 'closed 0'];
const wrong = (reason: string): string[] => [`ended: the peer does not speak HTTP/2: ${reason}`, 'closed 8'];

/**
 * The frames that a peer sends after the request has arrived, the result that the client reports, and the body that it
 * received.
 */
const cases: readonly (readonly [what: string, sent: readonly Buffer[], told: readonly string[], body: string])[] = [
  ['a response', [head, data('yes'), trailers], good, 'yes'],
  ['data with padding', [head, frame(frameType.data, padded, 1, Buffer.from('\x03yes\0\0\0')), trailers], good, 'yes'],
  ['data that is only padding', [head, frame(frameType.data, padded, 1, Buffer.from('\x02\0\0')), trailers], good, ''],
  [
    'headers with padding and a priority',
    [
      frame(
        frameType.headers,
        endHeaders | padded | priority,
        1,
        Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 16]), ok, Buffer.alloc(2)]),
      ),
      trailers,
    ],
    good,
    '',
  ],
  [
    'headers in three frames',
    [
      frame(frameType.headers, 0, 1, ok.subarray(0, 0)),
      frame(frameType.continuation, 0, 1, ok.subarray(0, 1)),
      frame(frameType.continuation, endHeaders, 1, ok.subarray(1)),
      trailers,
    ],
    good,
    '',
  ],
  [
    'an interim response',
    [frame(frameType.headers, endHeaders, 1, encodeFields([':status', '103'])), head, trailers],
    good,
    '',
  ],
  ['frames of unknown types and settings', [frame(0xfa, 255, 1, ok), setting(99, 5), head, trailers], good, ''],
  [
    'a response without data',
    [frame(frameType.headers, endHeaders | endStream, 1, ok)],
    ['head 200, ended', 'closed 0'],
    '',
  ],
  ['an end with the data', [head, data('yes', endStream)], ['head 200', 'closed 0'], 'yes'],
  ['an end with empty data', [head, data('', endStream)], ['head 200', 'closed 0'], ''],
  ['a reset stream', [head, numbersFrame(frameType.resetStream, 1, 8)], ['head 200', 'closed 8'], ''],
  ['a refused stream', [numbersFrame(frameType.resetStream, 1, 7)], ['closed 7, untouched'], ''],
  [
    'a GOAWAY before the stream',
    [numbersFrame(frameType.goAway, 0, 0, 0)],
    ['going away 0 after 0', 'closed 7, untouched'],
    '',
  ],
  [
    'a GOAWAY after the stream',
    [numbersFrame(frameType.goAway, 0, 1, 0), head, trailers],
    ['going away 0 after 1', ...good],
    '',
  ],
  [
    'a GOAWAY with an error',
    [numbersFrame(frameType.goAway, 0, 1, 11)],
    ['going away 11 after 1', 'ended', 'closed 8'],
    '',
  ],
  ['data before the headers', [data('yes')], ['closed 1'], ''],
  ['headers twice', [head, head], ['head 200', 'closed 1'], ''],
  [
    'frames of a stream that has ended',
    [head, trailers, data('more'), head, numbersFrame(frameType.windowUpdate, 1, 1)],
    good,
    '',
  ],
  ['a PUSH_PROMISE', [frame(frameType.pushPromise, endHeaders, 1, ok)], wrong('a push'), ''],
  [
    'a frame of a stream that is not open',
    [frame(frameType.headers, endHeaders, 3, ok)],
    wrong('a frame of stream 3, which is not open'),
    '',
  ],
  [
    'a stream opened by the server',
    [frame(frameType.data, 0, 2, ok)],
    wrong('a frame of stream 2, which is not open'),
    '',
  ],
  [
    'another frame within a header block',
    [frame(frameType.headers, 0, 1, ok), settings],
    wrong('a head is not complete'),
    '',
  ],
  [
    'data within a header block',
    [frame(frameType.headers, 0, 1, ok), data('yes')],
    wrong('a head is not complete'),
    '',
  ],
  [
    'a CONTINUATION without headers',
    [frame(frameType.continuation, endHeaders, 1, ok)],
    wrong('a head goes on that has not begun'),
    '',
  ],
  [
    'headers without an end',
    [
      frame(frameType.headers, 0, 1),
      ...Array.from({ length: 5 }, () => frame(frameType.continuation, 0, 1, Buffer.alloc(16_000))),
    ],
    wrong('a head is too long'),
    '',
  ],
  [
    'empty headers without an end',
    [frame(frameType.headers, 0, 1), ...Array.from({ length: 100 }, () => frame(frameType.continuation, 0, 1))],
    wrong('a head is too long'),
    '',
  ],
  [
    'invalid header fields',
    [frame(frameType.headers, endHeaders, 1, Buffer.of(0xbe))],
    wrong('no field has the number 62'),
    '',
  ],
  [
    'a frame that is too long',
    [frame(frameType.data, 0, 1, Buffer.alloc(16_385))],
    wrong('a frame of 16385 bytes'),
    '',
  ],
  [
    'more padding than data',
    [frame(frameType.data, padded, 1, Buffer.of(9, 1))],
    wrong('more padding than there is'),
    '',
  ],
  ['a truncated RST_STREAM', [frame(frameType.resetStream, 0, 1, ok)], wrong('a reset of 1 bytes'), ''],
  ['a long RST_STREAM', [numbersFrame(frameType.resetStream, 1, 7, 7)], wrong('a reset of 8 bytes'), ''],
  ['a truncated GOAWAY', [numbersFrame(frameType.goAway, 0, 0)], wrong('a frame is too short'), ''],
  [
    'a window update of a stream that is not open',
    [numbersFrame(frameType.windowUpdate, 3, 1)],
    wrong('a frame of stream 3, which is not open'),
    '',
  ],
  ['a long window update', [numbersFrame(frameType.windowUpdate, 1, 1, 1)], wrong('a window update of 8 bytes'), ''],
  [
    'acknowledged settings with settings',
    [frame(frameType.settings, ack, 0, Buffer.alloc(6))],
    wrong('an acknowledgement of 6 bytes'),
    '',
  ],
  [
    'a GOAWAY of a stream',
    [numbersFrame(frameType.goAway, 1, 0, 0)],
    wrong('a frame of the connection for stream 1'),
    '',
  ],
  ['settings of a stream', [frame(frameType.settings, 0, 1)], wrong('a frame of the connection for stream 1'), ''],
  [
    'more pings than answers can leave',
    Array.from({ length: 2000 }, () => frame(frameType.ping, 0, 0, Buffer.alloc(8))),
    wrong('too many frames to answer'),
    '',
  ],
  [
    'data without any data that never ends',
    [head, ...Array.from({ length: 2000 }, () => data(''))],
    ['head 200', ...wrong('too many empty frames')],
    '',
  ],
  [
    'more settings than acknowledgements can leave',
    Array.from({ length: 2000 }, () => settings),
    wrong('too many frames to answer'),
    '',
  ],
  ['truncated SETTINGS', [frame(frameType.settings, 0, 0, ok)], wrong('settings are not complete'), ''],
  ['a truncated PING', [frame(frameType.ping, 0, 0, ok)], wrong('a ping of 1 bytes'), ''],
  ['frames that are too short', [setting(5, 100)], wrong('frames of 100 bytes'), ''],
  [
    'a window update that is too large',
    [numbersFrame(frameType.windowUpdate, 1, 2 ** 31 - 1)],
    wrong('a window is too large'),
    '',
  ],
  ['window updates that are too large together', [setting(4, 2 ** 31)], wrong('a window is too large'), ''],
  ['a window update of zero', [numbersFrame(frameType.windowUpdate, 0, 0)], wrong('a window of nothing'), ''],
  ['a closed connection', [], ['ended', 'closed 8'], ''],
];

describe('Http2Connection', () => {
  let server: Server;
  /** What the peer does with a connection, and the bytes that the peer has received. */
  let greet: (socket: Socket) => void;
  let heard: Buffer;

  beforeEach(async () => {
    heard = Buffer.alloc(0);
    server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        heard = Buffer.concat([heard, chunk]);
      });
      greet(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    server.close();
    await once(server, 'close');
  });

  const dial = (): Socket => connect((server.address() as AddressInfo).port, '127.0.0.1');

  for (const [what, sent, told, body] of cases) {
    for (const pieces of ['at once', 'byte by byte'] as const) {
      it(`reports ${what}, ${pieces}`, async () => {
        const notes = new Notes();
        greet = (socket) => {
          socket.write(settings);
          socket.once('data', () => {
            if (sent.length === 0) socket.destroy();
            const bytes = Buffer.concat(sent);
            if (pieces === 'at once' || bytes.length > 1000) socket.write(bytes);
            else for (const byte of bytes) socket.write(Buffer.of(byte));
          });
        };
        const connection = new Http2Connection(dial(), notes.events);
        connection.open(request, notes.handler, Buffer.from('question'));
        await notes.over;
        assert.deepEqual({ told: notes.told, body: notes.body }, { told, body });
        connection.destroy();
      });
    }
  }

  it('refuses a server that does not send its settings first', async () => {
    const notes = new Notes();
    greet = (socket) => socket.write(head);
    const connection = new Http2Connection(dial(), notes.events);
    connection.open(request, notes.handler);
    await notes.over;
    assert.deepEqual(notes.told, wrong('no settings at first'));
  });

  it('acknowledges settings and pings', async () => {
    greet = (socket) => socket.write(Buffer.concat([settings, frame(frameType.ping, 0, 0, Buffer.from('12345678'))]));
    const connection = new Http2Connection(dial(), new Notes().events);
    const expected = Buffer.concat([
      frame(frameType.settings, ack, 0),
      frame(frameType.ping, ack, 0, Buffer.from('12345678')),
    ]);
    while (!heard.includes(expected)) await new Promise(setImmediate);
    connection.destroy();
  });

  it('gives room for padding as for data', async () => {
    const piece = frame(frameType.data, padded, 1, Buffer.from([255, ...Buffer.alloc(256, 'x')]));
    greet = (socket) =>
      socket.once('data', () => socket.write(Buffer.concat([settings, head, ...Array(3000).fill(piece)])));
    const notes = new Notes();
    const connection = new Http2Connection(dial(), notes.events);
    connection.open(request, notes.handler, Buffer.from('question'));
    while (notes.body.length < 3000) await new Promise(setImmediate);
    const [room] = [1 << 19, 1 << 19].map((least) => Math.ceil(least / 257) * 257);
    const updates = [0, 1].map((stream) => numbersFrame(frameType.windowUpdate, stream, room!));
    while (!updates.every((update) => heard.includes(update))) await new Promise(setImmediate);
    connection.destroy();
  });

  it('sends a long head in frames that every server takes', async () => {
    const block = Buffer.alloc(40_000, 'x');
    greet = (socket) => socket.write(settings);
    const connection = new Http2Connection(dial(), new Notes().events);
    connection.open(block, new Notes().handler);
    const expected = Buffer.concat([
      frame(frameType.headers, 0, 1, block.subarray(0, 16_384)),
      frame(frameType.continuation, 0, 1, block.subarray(0, 16_384)),
      frame(frameType.continuation, endHeaders, 1, block.subarray(0, 40_000 - 2 * 16_384)),
    ]);
    while (!heard.includes(expected)) await new Promise(setImmediate);
    connection.destroy();
  });

  it('says when it has used its last stream', async () => {
    const notes = new Notes();
    greet = (socket) =>
      socket.once('data', () => {
        const [last, end] = [head, trailers].map((bytes) => Buffer.from(bytes));
        for (const bytes of [last!, end!]) bytes.writeUInt32BE(2 ** 31 - 1, 5);
        socket.write(Buffer.concat([settings, last!, end!]));
      });
    const connection = new Http2Connection(dial(), notes.events, 2 ** 31 - 3);
    connection.open(request, new Notes().handler);
    assert.deepEqual(notes.told, []);
    connection.open(request, notes.handler, Buffer.from('question'));
    assert.deepEqual(notes.told, ['exhausted']);
    await notes.over;
    assert.deepEqual(notes.told, ['exhausted', ...good]);
    connection.destroy();
  });

  it('closes itself after close() when its last stream has ended', async () => {
    const notes = new Notes();
    greet = (socket) => socket.once('data', () => socket.write(Buffer.concat([settings, head, trailers])));
    const socket = dial();
    const connection = new Http2Connection(socket, notes.events);
    connection.open(request, notes.handler, Buffer.from('question'));
    connection.close();
    await once(socket, 'close');
    assert.deepEqual(notes.told, [...good, 'ended']);
  });
});
