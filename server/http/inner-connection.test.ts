import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { InnerConnection } from './inner-connection.ts';

describe('InnerConnection', () => {
  it('transfers what is written in both directions, until an end closes', async () => {
    const { client, server } = InnerConnection.pair();
    client.end('question');
    assert.equal(await text(server), 'question');
    server.end('answer');
    assert.equal(await text(client), 'answer');
  });

  it('stops a writer until the other end reads', async () => {
    const { client, server } = InnerConnection.pair();
    const piece = Buffer.alloc(64 * 1024);
    let taken = 0;
    for (let i = 0; i < 10; i++) client.write(piece, () => taken++);
    client.end();
    await new Promise(setImmediate);
    assert.ok(taken < 10, `${taken} were taken`);
    assert.equal((await text(server)).length, 10 * piece.length);
    assert.equal(taken, 10);
  });

  it('fails at one end when the other end is destroyed, even if the first end waits to write', async () => {
    const { client, server } = InnerConnection.pair();
    const failed = once(client, 'error') as Promise<[NodeJS.ErrnoException]>;
    for (let i = 0; i < 10; i++) client.write(Buffer.alloc(64 * 1024), () => {});
    server.destroy();
    assert.match((await failed)[0].code ?? '', /^(ECONNRESET|EPIPE)$/);
    assert.ok(client.destroyed);
  });

  it('lets the other end read what was written before destroySoon()', async () => {
    const { client, server } = InnerConnection.pair();
    server.write('the last words');
    server.destroySoon();
    assert.equal(await text(client), 'the last words');
  });

  it('shows the client certificate to the server', () => {
    const raw = Buffer.from('a certificate');
    assert.deepEqual(InnerConnection.pair(raw).server.getPeerCertificate(), { raw });
    assert.deepEqual(InnerConnection.pair(raw).client.getPeerCertificate(), {});
    assert.deepEqual(InnerConnection.pair().server.getPeerCertificate(), {});
  });

  describe('with an HTTP server', () => {
    let server: Server;

    beforeEach(() => {
      server = createServer((req, res) => {
        void text(req).then((body) => res.end(`${req.socket.remoteAddress} ${body.length}`));
      });
    });

    it('carries HTTP requests', async () => {
      const ends = InnerConnection.pair();
      server.emit('connection', ends.server);
      for (const length of [3, 300_000]) {
        const sent = request({ method: 'POST', createConnection: () => ends.client, agent: undefined });
        sent.end('x'.repeat(length));
        const [answer] = await once(sent, 'response');
        assert.equal(await text(answer), `127.0.0.1 ${length}`);
        if (length === 3) Object.assign(ends, InnerConnection.pair());
        if (length === 3) server.emit('connection', ends.server);
      }
    });
  });
});
