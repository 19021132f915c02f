import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttp2Server, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { Notes, request } from '../testing/http2-notes.ts';
import { Http2Connection } from './connection.ts';

describe('Http2Connection to a server of node:http2', () => {
  let server: Http2Server;
  let handle: (stream: ServerHttp2Stream) => void;
  let connection: Http2Connection;
  let ready: Promise<void>;

  beforeEach(async () => {
    server = createHttp2Server({ settings: { initialWindowSize: 20_000 } });
    server.on('stream', (stream) => {
      stream.on('error', () => {});
      handle(stream);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    ready = new Promise((resolve) => {
      connection = new Http2Connection(connect(port, '127.0.0.1'), { ...new Notes().events, settings: resolve });
    });
    await ready;
  });

  afterEach(async () => {
    connection.destroy();
    server.close();
    await once(server, 'close');
  });

  it('sends and receives many large bodies in parallel, within the flow control windows', async () => {
    handle = (stream) => {
      stream.respond({ ':status': 200 });
      stream.pipe(stream);
    };
    const bodies = Array.from({ length: 8 }, (_, n) => String(n).repeat(700_000));
    const seen = await Promise.all(
      bodies.map(async (body) => {
        const notes = new Notes();
        connection.open(request, notes.handler, Buffer.from(body));
        await notes.over;
        return notes.body;
      }),
    );
    assert.ok(seen.every((body, n) => body === bodies[n]));
    assert.equal(connection.streams, 0);
  });

  it('lets the server send at most one window while a stream is paused', async () => {
    const notes = new Notes();
    handle = (peer) => {
      peer.respond({ ':status': 200 });
      peer.end('x'.repeat(5_000_000));
    };
    const stream = connection.open(request, notes.handler, Buffer.from('question'));
    stream.pause();
    for (let before = -1; before !== notes.body.length || before === 0; ) {
      before = notes.body.length;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.ok(notes.body.length <= 1 << 20, String(notes.body.length));
    stream.resume();
    await notes.over;
    assert.equal(notes.body.length, 5_000_000);
  });

  it('accepts a response before the request body is sent completely', async () => {
    const notes = new Notes();
    handle = (stream) => stream.respond({ ':status': 200 }, { endStream: true });
    connection.open(request, notes.handler, Buffer.alloc(1_000_000));
    await notes.over;
    assert.deepEqual(notes.told, ['head 200, ended', 'closed 0']);
    await new Promise(setImmediate);
    assert.equal(connection.streams, 0);
  });

  it('sends again after the server made its windows smaller and then larger', async () => {
    const notes = new Notes();
    handle = (stream) => {
      let bytes = 0;
      stream.session!.settings({ initialWindowSize: 0 }, () => {
        stream.session!.settings({ initialWindowSize: 30_000 });
        stream.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        stream.on('end', () => {
          stream.respond({ ':status': 200 });
          stream.end(String(bytes));
        });
      });
    };
    connection.open(request, notes.handler, Buffer.alloc(1_500_000));
    await notes.over;
    assert.equal(notes.body, '1500000');
  });

  it('has room for answers after many that were cancelled', async () => {
    handle = (stream) => {
      stream.respond({ ':status': 200 });
      stream.end(Buffer.alloc(100_000, 'x'));
    };
    for (let round = 0; round < 10; round++) {
      const told = Array.from({ length: 50 }, () => {
        const notes = new Notes();
        const stream = connection.open(request, { ...notes.handler, data: () => stream.reset(8) }, Buffer.from('q'));
        return notes.over;
      });
      await Promise.all(told);
    }
    const notes = new Notes();
    connection.open(request, notes.handler, Buffer.from('question'));
    await notes.over;
    assert.equal(notes.body.length, 100_000);
  });

  it('receives the acknowledgement of a ping', async () => {
    await new Promise<void>((resolve) => connection.ping(resolve));
  });

  it('tells the server when a stream is cancelled', async () => {
    const notes = new Notes();
    const code = new Promise((resolve) => {
      handle = (stream) => {
        stream.on('close', () => resolve(stream.rstCode));
        given.reset(8);
      };
    });
    const given = connection.open(request, notes.handler);
    assert.equal(await code, 8);
    assert.deepEqual(notes.told, ['closed 8']);
  });
});
