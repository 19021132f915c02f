import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { connect } from 'node:tls';
import { aroundAll } from '../testing/around-all.ts';
import { type TestReplica, testPki } from '../testing/replica.ts';
import { serveUnknownMethod } from './unknown-method.ts';

describe('a request with an unknown method', () => {
  let replica: TestReplica;
  aroundAll((started) => {
    replica = started;
  });

  /** Sends some bytes and resolves to all data from the server until it ends the connection. */
  async function say(text: string, identity?: string): Promise<string> {
    const pki = testPki();
    const own = identity === undefined ? {} : { cert: pki.read(`${identity}.crt`), key: pki.read(`${identity}.key`) };
    const socket = connect({
      port: replica.port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: pki.read('ca.crt'),
      ...own,
    });
    socket.write(text);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    return answer;
  }

  const head = (line: string, more = '') => `${line} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
  const token = () => `AUTHORIZATION:  Bearer ${testPki().read('tokens.csv').split(',')[0]}\r\n`;
  const maps = '/api/v1/namespaces/default/configmaps';
  const cases: [about: string, text: string, identity: string | undefined, answer: RegExp][] = [
    [
      'gets 403 for a resource if the user is anonymous',
      head(`FOO ${maps}`),
      undefined,
      /^HTTP\/1\.1 403 .*cannot {2}resource \\"configmaps\\"/s,
    ],
    [
      'gets 403 for a path that is not a resource, if the user is anonymous',
      head('FOO /version'),
      undefined,
      /^HTTP\/1\.1 403 .*cannot foo path/s,
    ],
    [
      'gets 405 if the user is authorized',
      head(`FOO ${maps}`),
      'admin',
      /^HTTP\/1\.1 405 .*does not allow this method/s,
    ],
    ['gets 405 if the user has a token', head(`FOO ${maps}`, token()), undefined, /^HTTP\/1\.1 405 /],
    ['gets 405 if a header line is invalid', 'FOO / HTTP/1.1\r\nno header\r\n\r\n', 'admin', /^HTTP\/1\.1 405 /],
    ['gets 405 if the request line is incomplete', 'FOO\r\n\r\n', 'admin', /^HTTP\/1\.1 405 /],
  ];
  for (const [about, text, identity, answer] of cases) {
    it(about, async () => {
      assert.match(await say(text, identity), answer);
    });
  }
});

describe('the body of a request with an unknown method', () => {
  const cases: [about: string, pieces: string[], heard: string][] = [
    ['is read if it arrives together with the head', ['FOO / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc'], 'abc'],
    ['is read if it arrives after the head', ['FOO / HTTP/1.1\r\nContent-Length: 6\r\n\r\nabc', 'de', 'f'], 'abcdef'],
    ['ends after the bytes of Content-Length', ['FOO / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcdef'], 'abc'],
    ['is empty without Content-Length', ['FOO / HTTP/1.1\r\n\r\nabc'], ''],
  ];
  for (const [about, pieces, heard] of cases) {
    it(about, async () => {
      const waiting = [...pieces];
      const server = createServer();
      const socket = new Socket();
      const next = (): void => {
        const piece = waiting.shift();
        if (piece !== undefined) socket.write(piece);
      };
      server.on('clientError', (error, from) => {
        const isServed = serveUnknownMethod(error, from as Socket, async (request, response) => {
          const chunks: Buffer[] = [];
          next();
          for await (const chunk of request) {
            chunks.push(chunk);
            next();
          }
          response.end(Buffer.concat(chunks));
        });
        assert.ok(isServed);
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      socket.connect((server.address() as AddressInfo).port, '127.0.0.1', next);
      let answer = '';
      for await (const chunk of socket) answer += chunk;
      assert.equal(answer.slice(answer.indexOf('\r\n\r\n') + 4), heard);
      server.close();
    });
  }
});
