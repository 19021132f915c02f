import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reviewClient } from './review-client.ts';
import { readWebhookConnection, readWebhookUsers, type Warn } from './webhook-connection.ts';

const WHOLE = `clusters:
- name: c
  cluster:
    server: https://h
users:
- name: u
  user:
    token: t
- name: other
  user:
    username: me
    password: p
contexts:
- name: x
  context: {cluster: c, user: u}
current-context: x
`;
const never: Warn = (line) => assert.fail(line);

describe('connection files of webhooks', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'webhook-'));
    for (const name of ['ca.crt', 'client.crt', 'client.key']) writeFileSync(path.join(folder, name), `${name}\n`);
  });
  after(() => rmSync(folder, { recursive: true }));

  function file(text: string): string {
    const at = path.join(folder, 'a.conf');
    writeFileSync(at, text);
    return at;
  }

  it('contain server, certificates and credentials, with paths relative to the file', () => {
    const text = WHOLE.replace(
      'server: https://h',
      'server: https://h\n    certificate-authority: ca.crt\n    tls-server-name: n\n    proxy-url: http://p',
    ).replace('token: t', 'tokenFile: token\n    client-certificate: client.crt\n    client-key: client.key');
    assert.deepEqual(readWebhookConnection(file(text), never), {
      server: 'https://h',
      ca: 'ca.crt\n',
      tlsServerName: 'n',
      proxyUrl: 'http://p',
      clientCertificate: 'client.crt\n',
      clientKey: 'client.key\n',
      tokenFile: path.join(folder, 'token'),
    });
  });

  it('contain users by name', () => {
    const { byName, current } = readWebhookUsers(file(WHOLE), never);
    assert.deepEqual(Object.fromEntries(byName), { u: { token: 't' }, other: { username: 'me', password: 'p' } });
    assert.deepEqual(current, { token: 't' });
    assert.equal(readWebhookUsers(file(WHOLE.replace(', user: u', '')), never).current, undefined);
  });

  const refused: readonly [old: string, text: string, says: RegExp][] = [
    ['token: t', 'exec: {command: c}', /^8:11: users\[0\]\.user\.exec names a credential plug-in, which this server/],
    ['token: t', 'as: root', /^8:9: users\[0\]\.user\.as names another user to act as/],
    ['token: t', 'as-groups: [a]', /^8:16: users\[0\]\.user\.as-groups is of another user/],
    ['token: t', 'auth-provider: {name: a}', /^8:20: users\[0\]\.user\.auth-provider is not supported/],
    ['token: t', 'token: s\n    token: t', /^9:5: users\[0\]\.user\.token stands here twice$/],
    [
      'token: t',
      'client-key: k\n    client-certificate: gone',
      /^9:25: users\[0\]\.user\.client-certificate cannot be/,
    ],
  ];
  for (const [old, text, says] of refused)
    it(`are refused with ${text.replaceAll(/\s+/g, ' ')}`, () => {
      const at = file(WHOLE.replace(old, text));
      for (const read of [readWebhookConnection, readWebhookUsers])
        assert.throws(
          () => read(at, never),
          ({ message }: Error) => says.test(message.replace(`${at}:`, '')) || assert.fail(message),
        );
    });

  it('can contain users with unsupported features if these users are not needed', () => {
    const at = file(WHOLE.replace('username: me', 'as: root'));
    assert.equal(readWebhookConnection(at, never).token, 't');
    assert.throws(() => readWebhookUsers(at, never), /:11:9: users\[1\]\.user\.as /);
  });

  it('can contain unknown fields, each with a warning', () => {
    const lines: string[] = [];
    const at = file(WHOLE.replace('token: t', 'token: t\n    toknFile: f'));
    assert.equal(readWebhookConnection(at, (line) => lines.push(line)).token, 't');
    assert.deepEqual(lines, [`${at}:9:5: users[0].user.toknFile is not known: did you mean tokenFile?`]);
  });

  it('can name a proxy', async () => {
    const server = http.createServer((_, response) => response.end('{"status":{"allowed":true}}')).listen(0);
    const asked: string[] = [];
    const proxy = http.createServer().listen(0, '127.0.0.1');
    proxy.on('connect', ({ url = '' }, socket: net.Socket) => {
      asked.push(url);
      const behind = net.connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(behind).on('error', () => {});
        behind.pipe(socket).on('error', () => {});
      });
    });
    await Promise.all([server, proxy].map((one) => one.listening || once(one, 'listening')));
    try {
      const { port } = proxy.address() as AddressInfo;
      const text = WHOLE.replace('https://h', `http://policy.example:80\n    proxy-url: http://127.0.0.1:${port}`);
      const status = await reviewClient(readWebhookConnection(file(text), never))({});
      assert.deepEqual([status, asked], [{ allowed: true }, ['policy.example:80']]);
    } finally {
      for (const one of [server, proxy]) {
        one.close();
        one.closeAllConnections();
      }
    }
  });
});
