import { appendFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { createNaming } from '#base/naming/create-naming.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { Bystander } from './bystander.ts';

const CONNECTIONS = 20;

/** The number of times that each connection sends its body. */
const ROUNDS = 3;

describe('many parallel bodies that are cheap to send and expensive to parse', function () {
  this.timeout(120_000);
  const naming = createNaming('orch');
  const pki = temporaryPki();
  const ca = pki.read('ca.crt');
  const token = 'mallory-has-no-rights';
  const path = `/apis/${naming.group('authorization')}/v1/selfsubjectaccessreviews`;
  const loopProbe = pki.file('loop.json');
  let etcd: EtcdProcess;
  let replica: Replica;
  let bystander: Bystander;

  before(async () => {
    etcd = await EtcdProcess.start();
    appendFileSync(pki.file('tokens.csv'), `${token},mallory,uid-mallory\n`);
    replica = await startReplica(pki, etcd.endpoint, { loopProbe });
    // Parts that the server builds at the first request of each kind must not count as costs of bodies.
    await replica.request('POST', path, { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } });
    await replica.request('GET', '/api/v1/namespaces/default');
    await sleep(1_000);
    bystander = await Bystander.beside(replica, loopProbe);
  });

  after(async () => {
    await replica?.stop();
    await etcd?.stop();
  });

  /** A length-delimited field of a message. */
  const field = (number: number, content: Buffer): Buffer => {
    const length: number[] = [];
    for (let rest = content.length; ; rest >>>= 7) {
      length.push(rest < 128 ? rest : (rest & 127) | 128);
      if (rest < 128) break;
    }
    return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), content]);
  };
  const text = (before: string, piece: string, after: string, bytes = 102_000): Buffer =>
    Buffer.from(before + piece.repeat(bytes / piece.length) + after);
  const bodies: readonly (readonly [what: string, type: string, body: Buffer])[] = [
    ['a YAML list', 'application/yaml', text('a: [', 'a,', 'a]')],
    ['many lines of YAML', 'application/yaml', text('a:\n', '- a\n', '')],
    ['YAML with anchors', 'application/yaml', text('- &a 1\n- [', '*a,', '*a]')],
    ['three megabytes of YAML', 'application/yaml', text('a: [', 'a,', 'a]', 3_000_000)],
    ['a JSON list', 'application/json', text('{"a":[', '[],', '[]]}')],
    ['duplicate keys', 'application/json', text('{', '"a":1,', '"a":1}')],
    ['three megabytes of JSON', 'application/json', text('{"a":[', '{},', '{}]}', 3_000_000)],
    [
      'protobuf messages of two bytes',
      naming.protobufMediaType,
      Buffer.concat([naming.protobufMagic, field(2, field(2, Buffer.from('0a00'.repeat(50_000), 'hex')))]),
    ],
  ];

  /** Sends a body again and again on a separate connection. It has a length, or is in chunks. */
  async function overHttp1(type: string, body: Buffer, chunked: boolean): Promise<void> {
    const framing = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\n${framing}\r\n\r\n`;
    const framed = chunked
      ? Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
      : body;
    const socket = connect({ host: '127.0.0.1', port: replica.port, ca, servername: 'localhost' });
    const done = new Promise<void>((resolve) => {
      let heard = 0;
      socket.on('error', () => resolve()).once('close', () => resolve());
      socket.on('data', (chunk: Buffer) => {
        heard += chunk.toString('latin1').split('HTTP/1.1 ').length - 1;
        if (heard >= ROUNDS) resolve();
      });
    });
    for (let i = 0; i < ROUNDS; i++) socket.write(Buffer.concat([Buffer.from(head), framed]));
    await Promise.race([done, sleep(20_000)]);
    socket.destroy();
  }

  /** Does the same on streams, without a length. */
  async function overHttp2(type: string, body: Buffer): Promise<void> {
    const session = connectHttp2(`https://localhost:${replica.port}`, {
      ca,
      lookup: (_name, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    session.on('error', () => {});
    const sent = Array.from({ length: ROUNDS }, () => {
      const stream = session.request({
        ':method': 'POST',
        ':path': path,
        authorization: `Bearer ${token}`,
        'content-type': type,
      });
      stream.on('error', () => {}).resume();
      stream.end(body);
      return new Promise<void>((resolve) => stream.once('close', () => resolve()));
    });
    await Promise.race([Promise.all(sent), sleep(20_000)]);
    session.destroy();
  }

  for (const [what, type, body] of bodies) {
    for (const [how, send] of [
      ['with Content-Length', () => overHttp1(type, body, false)],
      ['chunked', () => overHttp1(type, body, true)],
      ['over HTTP/2', () => overHttp2(type, body)],
    ] as const) {
      it(`${what}, ${how}`, async () => {
        await bystander.during('bodies', () => Promise.all(Array.from({ length: CONNECTIONS }, send)));
      });
    }
  }
});
