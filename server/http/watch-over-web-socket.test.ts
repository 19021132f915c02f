import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:tls';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { startBootstrappedEtcd } from '../testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica, testPki } from '../testing/replica.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';

/** A connection that has asked for a web socket. */
class Client {
  readonly #socket: ReturnType<typeof connect>;
  #bytes = Buffer.alloc(0);
  isOver = false;

  constructor(socket: ReturnType<typeof connect>) {
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => (this.#bytes = Buffer.concat([this.#bytes, bytes])));
    socket.on('close', () => (this.isOver = true));
    socket.on('error', () => {});
  }

  send(bytes: readonly number[]): void {
    this.#socket.write(Buffer.from(bytes));
  }

  destroy(): void {
    this.#socket.destroy();
  }

  async head(): Promise<string> {
    await this.#until(() => this.#bytes.includes('\r\n\r\n'));
    const end = this.#bytes.indexOf('\r\n\r\n') + 4;
    const head = this.#bytes.subarray(0, end).toString('latin1');
    this.#bytes = this.#bytes.subarray(end);
    return head;
  }

  /** The next frame: its first byte, and its payload. */
  async frame(): Promise<readonly [kind: number, payload: Buffer]> {
    await this.#until(() => this.#length() !== undefined);
    const [head, length] = this.#length()!;
    const found = [this.#bytes[0]!, this.#bytes.subarray(head, head + length)] as const;
    this.#bytes = this.#bytes.subarray(head + length);
    return found;
  }

  async event(): Promise<string> {
    const [kind, payload] = await this.frame();
    assert.equal(kind, 0x81);
    const { type, object } = JSON.parse(payload.toString()) as { type: string; object: { metadata: { name: string } } };
    return `${type} ${object.metadata.name}`;
  }

  #length(): readonly [head: number, payload: number] | undefined {
    const bytes = this.#bytes;
    if (bytes.length < 10 && (bytes.length < 2 || bytes.length < 2 + bytes[1]!)) return undefined;
    const short = bytes[1]!;
    const [head, length] =
      short < 126 ? [2, short] : short === 126 ? [4, bytes.readUInt16BE(2)] : [10, Number(bytes.readBigUInt64BE(2))];
    return bytes.length < head + length ? undefined : [head, length];
  }

  async #until(isMet: () => boolean): Promise<void> {
    while (!isMet()) await once(this.#socket, 'data', { signal: AbortSignal.timeout(30_000) });
  }
}

describe('a watch over a web socket', function () {
  this.timeout(60_000);
  let etcd: EtcdProcess;
  let replica: TestReplica;

  before(async () => {
    etcd = await startBootstrappedEtcd();
    replica = await startReplica(etcd.endpoint);
  });
  after(async () => {
    await replica?.stop();
    await etcd?.stop();
  });

  async function ask(path: string, more: readonly string[] = [], version = 13): Promise<Client> {
    const pki = testPki();
    const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => pki.read(name));
    const socket = connect({ host: '127.0.0.1', port: replica.port, ca, cert, key, servername: 'localhost' });
    await once(socket, 'secureConnect');
    const client = new Client(socket);
    const lines = [
      `GET ${path} HTTP/1.1`,
      'Host: localhost',
      'Connection: keep-alive, Upgrade',
      'Upgrade: websocket',
      `Sec-WebSocket-Version: ${version}`,
      `Sec-WebSocket-Key: ${KEY}`,
      ...more,
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    return client;
  }

  const create = (name: string, filler = '') =>
    replica.call('POST', MAPS, { body: { metadata: { name }, data: { filler } } });

  it('sends each event as a message of text, and answers pings', async () => {
    await create('first');
    await create('second', 'x'.repeat(300));
    await create('third', 'x'.repeat(70_000));
    const client = await ask(`${MAPS}?watch=1`, ['Sec-WebSocket-Protocol: base64.binary.example.com']);
    const head = await client.head();
    assert.match(head, /^HTTP\/1\.1 101 /);
    assert.match(head, /\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n/);
    assert.match(head, /\r\nSec-WebSocket-Protocol: base64\.binary\.example\.com\r\n/);
    const names = [await client.event(), await client.event(), await client.event()];
    assert.deepEqual(names.sort(), ['ADDED first', 'ADDED second', 'ADDED third']);
    client.send([0x89, 0x82, 1, 2, 3, 4, 0x61 ^ 1, 0x62 ^ 2]);
    assert.deepEqual(await client.frame(), [0x8a, Buffer.from('ab')]);
    await create('later');
    assert.equal(await client.event(), 'ADDED later');
    client.send([0x88, 0x80, 1, 2, 3, 4]);
    assert.deepEqual(await client.frame(), [0x88, Buffer.from([0x03, 0xe8])]);
    client.destroy();
  });

  it('ends with a close at its time limit', async () => {
    const client = await ask(`${MAPS}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dnone`);
    assert.match(await client.head(), /^HTTP\/1\.1 101 /);
    assert.equal((await client.frame())[0], 0x88);
    client.destroy();
  });

  it('keeps a token out of the answer', async () => {
    const client = await ask(`${MAPS}?watch=1`, ['Sec-WebSocket-Protocol: base64url.bearer.x.AAAA, chat']);
    assert.match(await client.head(), /\r\nSec-WebSocket-Protocol: chat\r\n/);
    client.destroy();
  });

  const refused: readonly [what: string, path: string, version: number, status: RegExp][] = [
    ['another version of web sockets', `${MAPS}?watch=1`, 8, /^HTTP\/1\.1 400 /],
    ['a selector that is none', `${MAPS}?watch=1&fieldSelector=x`, 13, /^HTTP\/1\.1 400 /],
    ['a kind that there is not', '/api/v1/nothings?watch=1', 13, /^HTTP\/1\.1 404 /],
    ['a list, which is answered as usual', MAPS, 13, /^HTTP\/1\.1 200 /],
  ];
  for (const [what, path, version, status] of refused)
    it(`is not granted: ${what}`, async () => {
      const client = await ask(path, [], version);
      assert.match(await client.head(), status);
      client.destroy();
    });
});
