import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import fc from 'fast-check';
import { pino } from 'pino';
import { readAddressRanges } from '#program/flags/address-ranges.ts';
import { testPki } from '../testing/replica.ts';
import { type Listener, listen } from './listener.ts';
import { clientAddress, parseProxyHeader } from './proxy-protocol.ts';

const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');

/** A header: version and command, family and protocol, and the rest, whose length it contains. */
function header(command: number, family: number, rest: readonly number[]): Buffer {
  return Buffer.from([...signature, command, family, rest.length >> 8, rest.length & 0xff, ...rest]);
}

const four = [192, 0, 2, 7, 192, 0, 2, 1, 0xd4, 0x31, 0x19, 0x2b];
const six = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, ...Array(16).fill(0), 0xd4, 0x31, 0x19, 0x2b];
const more = [0x04, 0, 3, 1, 2, 3];

describe('parseProxyHeader', () => {
  const cases: [what: string, bytes: Buffer, wanted: unknown][] = [
    ['reads IPv4 addresses', header(0x21, 0x11, four), { length: 28, source: '192.0.2.7' }],
    ['reads IPv6 addresses', header(0x21, 0x21, six), { length: 52, source: '2001:db8::7' }],
    [
      'reads IPv4 addresses before additional fields',
      header(0x21, 0x11, [...four, ...more]),
      { length: 34, source: '192.0.2.7' },
    ],
    [
      'reads no address from a LOCAL header of the proxy itself',
      header(0x20, 0, []),
      { length: 16, source: undefined },
    ],
    ['reads no address for a UNIX socket', header(0x21, 0x31, Array(216).fill(0)), { length: 232, source: undefined }],
    ['reads no address for an unknown address family', header(0x21, 0, []), { length: 16, source: undefined }],
    ['refuses too few bytes for addresses', header(0x21, 0x11, four.slice(4)), 'bad'],
    ['refuses another version', header(0x31, 0x11, four), 'bad'],
    ['refuses another command', header(0x22, 0x11, four), 'bad'],
    ['refuses a header that is too long', header(0x21, 0x11, Array(5000).fill(0)), 'bad'],
    ['finds no header in TLS data', Buffer.from([22, 3, 1, 2, 0, 1]), 'none'],
    ['finds no header in version 1 of the protocol', Buffer.from('PROXY TCP4 192.0.2.7 192.0.2.1 1 2\r\n'), 'none'],
  ];
  for (const [what, bytes, wanted] of cases) it(what, () => assert.deepEqual(parseProxyHeader(bytes), wanted));

  it('asks for more bytes until the header is complete', () => {
    const whole = header(0x21, 0x21, [...six, ...more]);
    for (let length = 0; length < whole.length; length++)
      assert.equal(parseProxyHeader(whole.subarray(0, length)), 'more', `${length} bytes`);
  });

  it('returns for any content', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (rest) => {
        parseProxyHeader(Buffer.concat([signature, rest]));
      }),
    );
  });
});

describe('a listener with trusted proxies', function () {
  this.timeout(60_000);
  const pki = testPki();
  let listener: Listener;

  before(async () => {
    listener = await listen((request, response) => response.end(clientAddress(request.socket)), {
      certFile: pki.file('server.crt'),
      keyFile: pki.file('server.key'),
      tls: { minVersion: 'TLSv1.2', ciphers: undefined },
      clientCa: () => [],
      address: '127.0.0.1',
      port: 0,
      proxies: readAddressRanges('--proxy-protocol-from', ['127.0.0.5']),
      log: pino({ level: 'silent' }),
    });
  });

  after(() => listener.drain());

  async function tcp(localAddress: string): Promise<Socket> {
    const socket = connectTcp({ port: listener.port, host: '127.0.0.1', localAddress });
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }

  /** Sends a request over TLS. Resolves to the body of the answer, or to the reason why there is none. */
  function ask(socket: Socket): Promise<string> {
    return new Promise((resolve, reject) => {
      const tls = connectTls({ socket, ca: pki.read('ca.crt'), servername: 'localhost' });
      let text = '';
      tls.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      tls.on('end', () => resolve(text.split('\r\n\r\n')[1] ?? ''));
      tls.on('error', reject);
      tls.end('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    });
  }

  it('uses the client address that a trusted proxy sends', async () => {
    const socket = await tcp('127.0.0.5');
    socket.write(header(0x21, 0x11, four));
    assert.equal(await ask(socket), '192.0.2.7');
  });

  it('reads a header that arrives byte by byte', async () => {
    const socket = await tcp('127.0.0.5');
    socket.setNoDelay();
    for (const byte of header(0x21, 0x21, [...six, ...more])) {
      socket.write(Buffer.from([byte]));
      await sleep(1);
    }
    assert.equal(await ask(socket), '2001:db8::7');
  });

  it('uses the address of the proxy if it sends no header, or a header without a client address', async () => {
    assert.equal(await ask(await tcp('127.0.0.5')), '127.0.0.5');
    const socket = await tcp('127.0.0.5');
    socket.write(header(0x20, 0, []));
    assert.equal(await ask(socket), '127.0.0.5');
  });

  it('refuses headers from peers that it does not trust', async () => {
    assert.equal(await ask(await tcp('127.0.0.6')), '127.0.0.6');
    const socket = await tcp('127.0.0.6');
    socket.write(header(0x21, 0x11, four));
    assert.equal(await ask(socket).catch(() => ''), '', 'there is no answer');
  });

  it('ends connections that start with a bad header', async () => {
    const socket = await tcp('127.0.0.5');
    socket.write(header(0x31, 0x11, four));
    socket.resume();
    await once(socket, 'close');
  });
});
