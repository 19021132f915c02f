import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { dialThrough } from '#program/connection/proxy.ts';
import { isProxyUrl } from '#program/connection/proxy-url.ts';
import { testPki } from '#server/testing/replica.ts';
import { ConnectionError } from '../errors.ts';
import type { Connections } from './connections.ts';
import { LightConnections } from './light-connections.ts';
import { Pools } from './pools.ts';
import { Transport } from './transport.ts';

const KINDS: readonly (readonly [name: string, connections: (origin: string, proxy: string) => Connections])[] = [
  ['pools', (origin, proxy) => new Pools(origin, proxy)],
  ['light connections', (origin, proxy) => new LightConnections(origin, proxy)],
];
const cleanUp: (() => unknown)[] = [];

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** Joins two connections. */
function join(a: Socket, b: Socket): void {
  a.pipe(b).on('error', () => {});
  b.pipe(a).on('error', () => {});
}

/** An HTTP proxy for tunnels. It records the target and the login of each request. */
async function httpProxy(asked: string[], status = 200, secure = false): Promise<number> {
  const pki = testPki();
  const tls = { cert: pki.read('server.crt'), key: pki.read('server.key') };
  const proxy = secure ? https.createServer(tls) : http.createServer();
  proxy.on('connect', ({ url = '', headers }, socket: Socket) => {
    asked.push(`${url} ${headers['proxy-authorization'] ?? ''}`.trim());
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const target = new URL(`http://${url}`);
    const behind = net.connect(Number(target.port), target.hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      join(socket, behind);
    });
    return undefined;
  });
  return listen(proxy);
}

/** A SOCKS proxy that requires a login if one is configured. It sends bytes one by one, as a slow network might. */
async function socksProxy(asked: string[], login?: string): Promise<number> {
  const proxy = net.createServer(async (socket) => {
    let bytes = Buffer.alloc(0);
    let wake = () => {};
    const collect = (piece: Buffer) => {
      bytes = Buffer.concat([bytes, piece]);
      wake();
    };
    socket.on('data', collect);
    const take = async (length: number) => {
      while (bytes.length < length)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const taken = bytes.subarray(0, length);
      bytes = bytes.subarray(length);
      return taken;
    };
    const counted = async () => (await take((await take(1))[0]!)).toString();
    const say = async (...words: number[]) => {
      for (const word of words) {
        socket.write(Buffer.from([word]));
        await sleep(1);
      }
    };
    socket.setNoDelay(true);
    const [, count = 0] = await take(2);
    await take(count);
    await say(5, login === undefined ? 0 : 2);
    if (login !== undefined) {
      await take(1);
      const given = `${await counted()}:${await counted()}`;
      await say(1, given === login ? 0 : 1);
      if (given !== login) return socket.end();
    }
    const kind = (await take(4))[3];
    const host = kind === 1 ? [...(await take(4))].join('.') : await counted();
    const port = (await take(2)).readUInt16BE();
    asked.push(`${host}:${port}`);
    const behind = net.connect(port, host, async () => {
      socket.off('data', collect);
      join(socket, behind);
      await say(5, 0, 0, 1, 127, 0, 0, 1, 0, 0);
    });
    behind.once('error', () => say(5, 5, 0, 1, 0, 0, 0, 0, 0, 0));
    return undefined;
  });
  return listen(proxy);
}

describe('connections through a proxy', () => {
  afterEach(async () => {
    for (const clean of cleanUp.splice(0).reverse()) await clean();
  });

  for (const [kind, connectionsTo] of KINDS)
    for (const scheme of ['http', 'https'] as const)
      describe(`${kind} to ${scheme}`, () => {
        let target: string;
        let asked: string[];
        beforeEach(async () => {
          const pki = testPki();
          const answer: http.RequestListener = ({ url, headers }, response) => {
            assert.equal(headers['proxy-authorization'], undefined, 'the login is for the proxy alone');
            response.end(url);
          };
          const tls = { cert: pki.read('server.crt'), key: pki.read('server.key') };
          const server = scheme === 'http' ? http.createServer(answer) : https.createServer(tls, answer);
          target = `127.0.0.1:${await listen(server)}`;
          asked = [];
        });

        function callThrough(proxy: string, at = target): Promise<string> {
          const tls = { ca: testPki().read('ca.crt'), serverName: 'localhost' };
          const server = `${scheme}://${at}`;
          const connections = connectionsTo(server, proxy);
          const credentials = { get: async () => ({ tls, headers: {} }), refused: () => false };
          const transport = new Transport({ server, credentials, connections });
          cleanUp.push(() => transport.close());
          return transport.call({ method: 'POST', path: '/a' }).then(async ({ text }) => {
            await transport.call({ method: 'GET', path: '/again' });
            return text;
          });
        }

        it('go through an HTTP proxy', async () => {
          assert.equal(await callThrough(`http://127.0.0.1:${await httpProxy(asked)}`), '/a');
          assert.deepEqual([...new Set(asked)], [target]);
        });

        it('log in to the HTTP proxy', async () => {
          const login = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
          await callThrough(`http://me:p%40ss@127.0.0.1:${await httpProxy(asked)}`);
          assert.deepEqual([...new Set(asked)], [`${target} ${login}`]);
        });

        it('go through a SOCKS proxy', async () => {
          assert.equal(await callThrough(`socks5://127.0.0.1:${await socksProxy(asked)}`), '/a');
          assert.deepEqual([...new Set(asked)], [target]);
        });

        it('log in to the SOCKS proxy', async () => {
          const port = await socksProxy(asked, 'me:p@ss');
          assert.equal(await callThrough(`socks5://me:p%40ss@127.0.0.1:${port}`), '/a');
          await assert.rejects(callThrough(`socks5://me:wrong@127.0.0.1:${port}`), /it refuses the login/);
        });

        const refusals: readonly [what: string, proxy: () => Promise<string>, message: RegExp][] = [
          ['refuses', async () => `http://u:secret@127.0.0.1:${await httpProxy(asked, 407)}`, /it answered 407/],
          ['does not listen', async () => `http://u:secret@127.0.0.1:${await closedPort()}`, /ECONNREFUSED/],
          ['does not listen', async () => `socks5://u:secret@127.0.0.1:${await closedPort()}`, /ECONNREFUSED/],
          ['does not speak SOCKS', async () => `socks5://u:secret@127.0.0.1:${await httpProxy(asked)}`, /SOCKS 5/],
        ];
        for (const [what, proxy, message] of refusals)
          it(`fail without having sent anything if the proxy ${what}`, async () => {
            await assert.rejects(callThrough(await proxy()), (error: unknown) => {
              assert.ok(error instanceof ConnectionError && !error.sent, String(error));
              assert.match(error.message, message);
              return !error.message.includes('secret');
            });
          });

        it('fail if the SOCKS proxy cannot connect', async () => {
          const proxy = `socks5://127.0.0.1:${await socksProxy(asked)}`;
          await assert.rejects(callThrough(proxy, `127.0.0.1:${await closedPort()}`), /the connection was refused/);
        });
      });

  it('fail if the proxy does not answer in time', async () => {
    const port = await listen(net.createServer());
    for (const scheme of ['http', 'socks5'])
      await assert.rejects(dialThrough(`${scheme}://127.0.0.1:${port}`, 50)('h', 1), /no answer within 50 ms/);
  });

  it('use TLS to the proxy if its URL is https', async () => {
    const port = await httpProxy([], 200, true);
    // Its certificate is of an authority that this machine does not know.
    await assert.rejects(dialThrough(`https://127.0.0.1:${port}`, 5000)('127.0.0.1', 1), /certificate/);
  });

  for (const [text, is] of [
    ['http://a', true],
    ['https://u:p@a:1', true],
    ['socks5://[::1]:1080', true],
    ['ftp://a', false],
    ['a:80', false],
    ['', false],
  ] as const)
    it(`${JSON.stringify(text)} is ${is ? 'a valid' : 'not a valid'} proxy URL`, () =>
      assert.equal(isProxyUrl(text), is));
});

/** A port on which no program listens. */
async function closedPort(): Promise<number> {
  const server = net.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
