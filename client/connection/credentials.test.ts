import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { readConnection } from '#program/connection/connection-file.ts';
import { waitUntil } from '../testing/wait-until.ts';
import { credentialsOf } from './credentials.ts';
import { connectionOfPod, findConnectionFiles } from './find-connection.ts';
import { WatchedText } from './watched-text.ts';

const signal = new AbortController().signal;

describe('connection files and credentials', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'connection-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A file with one context, with these fields in its cluster and user. */
  function file(user: object, cluster: object = {}, name = 'config'): string {
    const at = path.join(folder, name);
    const document = {
      clusters: [{ name: 'c', cluster: { server: 'https://h:1/p', ...cluster } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'n' } }],
      'current-context': 'x',
    };
    writeFileSync(at, stringify(document));
    return at;
  }

  const base64 = (text: string) => Buffer.from(text).toString('base64');

  it('support every kind of credentials', async () => {
    for (const name of ['cert.pem', 'key.pem', 'token', 'ca.pem']) writeFileSync(path.join(folder, name), `${name}\n`);
    const cases: [user: object, cluster: object, cert: string | undefined, headers: object][] = [
      [{}, {}, undefined, {}],
      [{ token: 't' }, {}, undefined, { authorization: 'Bearer t' }],
      [{ tokenFile: 'token' }, {}, undefined, { authorization: 'Bearer token' }],
      [{ token: 'old', tokenFile: 'token' }, {}, undefined, { authorization: 'Bearer token' }],
      [{ username: 'u', password: 'p' }, {}, undefined, { authorization: `Basic ${base64('u:p')}` }],
      [{ 'client-certificate': 'cert.pem', 'client-key': 'key.pem' }, {}, 'cert.pem\n', {}],
      [{ 'client-certificate-data': base64('C'), 'client-key-data': base64('K') }, {}, 'C', {}],
      [
        { as: 'a', 'as-uid': '1', 'as-groups': ['g', 'h'], 'as-user-extra': { 'k/l': ['v'] } },
        {},
        undefined,
        {
          'Impersonate-User': 'a',
          'Impersonate-Uid': '1',
          'Impersonate-Group': ['g', 'h'],
          'Impersonate-Extra-k%2Fl': ['v'],
        },
      ],
    ];
    for (const [user, cluster, cert, headers] of cases) {
      const identity = await credentialsOf(readConnection(file(user, cluster))).get(signal);
      assert.deepEqual([identity.tls.cert, identity.headers], [cert, headers], JSON.stringify(user));
    }
    const proxy = 'socks5://u:p@h:1';
    const fields = { 'certificate-authority': 'ca.pem', 'tls-server-name': 's', 'proxy-url': proxy };
    const { cluster } = readConnection(file({}, fields));
    assert.equal(cluster.proxyUrl, proxy);
    assert.deepEqual(cluster.ca, { file: path.join(folder, 'ca.pem') });
    assert.equal(cluster.tlsServerName, 's');
  });

  it('finds the default connection file of a user', () => {
    const [a, b] = [file({}, {}, 'a'), path.join(folder, 'b')];
    mkdirSync(path.join(folder, '.kube'));
    writeFileSync(path.join(folder, '.kube/config'), '');
    assert.deepEqual(findConnectionFiles('named', {}, folder), ['named']);
    assert.deepEqual(findConnectionFiles(undefined, { ORCHCONFIG: `${a}:${b}` }, folder), [a]);
    assert.deepEqual(findConnectionFiles(undefined, { KUBECONFIG: b }, folder), [b]);
    assert.deepEqual(findConnectionFiles(undefined, {}, folder), [path.join(folder, '.kube/config')]);
  });

  it('finds the service account connection of a pod', () => {
    const secrets = path.join(folder, 'var/run/secrets/orch.io/serviceaccount');
    mkdirSync(secrets, { recursive: true });
    for (const name of ['token', 'namespace', 'ca.crt']) writeFileSync(path.join(secrets, name), name);
    const env = { ORCH_SERVICE_HOST: 'fd00::1', ORCH_SERVICE_PORT: '443' };
    const connection = connectionOfPod(env, folder);
    assert.equal(connection?.cluster.server, 'https://[fd00::1]:443');
    assert.equal(connection?.namespace, 'namespace');
    assert.equal(connectionOfPod({}, folder), undefined);
  });

  it('calls a credential plug-in again when its credentials are refused or expired', async () => {
    const counter = path.join(folder, 'count');
    writeFileSync(counter, '');
    const program = path.join(folder, 'plugin.mjs');
    writeFileSync(
      program,
      `import { appendFileSync, readFileSync } from 'node:fs';
       appendFileSync(${JSON.stringify(counter)}, 'x');
       const n = readFileSync(${JSON.stringify(counter)}, 'utf8').length;
       const { apiVersion, spec } = JSON.parse(process.env.ORCH_EXEC_INFO);
       const token = [n, process.argv[2], process.env.EXTRA, spec.cluster['proxy-url'], spec.cluster.config.a, spec.interactive].join(' ');
       const expirationTimestamp = n === 1 ? '2000-01-01T00:00:00Z' : '2999-01-01T00:00:00Z';
       console.log(JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token, expirationTimestamp } }));`,
    );
    const exec = {
      command: process.execPath,
      args: [program, 'arg'],
      env: [{ name: 'EXTRA', value: 'e' }],
      apiVersion: 'client.authentication.orch.io/v1',
      interactiveMode: 'Never',
      provideClusterInfo: true,
    };
    const extensions = [{ name: 'client.authentication.orch.io/exec', extension: { a: 'b' } }];
    const credentials = credentialsOf(readConnection(file({ exec }, { extensions, 'proxy-url': 'http://p' })));
    const token = async () => (await credentials.get(signal)).headers['authorization'];
    assert.equal(await token(), 'Bearer 1 arg e http://p b false');
    assert.deepEqual(await Promise.all([token(), token()]), Array(2).fill('Bearer 2 arg e http://p b false'));
    assert.equal(await token(), 'Bearer 2 arg e http://p b false');
    credentials.refused(await credentials.get(signal));
    assert.match(String(await token()), /^Bearer 3/);
  });

  for (const [what, script, message] of [
    ['exits with a failure', 'process.exit(3)', /status 3/],
    ['prints nothing', '', /JSON/],
    ['answers with an unknown version', "console.log(JSON.stringify({kind:'ExecCredential',apiVersion:'v9'}))", /v9/],
    [
      'returns no credentials',
      "console.log(JSON.stringify({kind:'ExecCredential',apiVersion:'client.authentication.orch.io/v1beta1'}))",
      /neither/,
    ],
  ] as const)
    it(`reports an error if a credential plug-in ${what}`, async () => {
      const exec = {
        command: process.execPath,
        args: ['-e', script],
        apiVersion: 'client.authentication.orch.io/v1beta1',
      };
      await assert.rejects(credentialsOf(readConnection(file({ exec }))).get(signal), message);
    });

  it('stops a plug-in when all callers have cancelled, and can call it again', async () => {
    const mark = path.join(folder, 'alive');
    const script = `const fs = require('fs'); const file = ${JSON.stringify(mark)};
      if (!fs.existsSync(file)) { fs.writeFileSync(file, String(process.pid)); setInterval(() => {}, 1000); }
      else console.log(JSON.stringify({ apiVersion: 'client.authentication.orch.io/v1beta1', kind: 'ExecCredential', status: { token: 't' } }));`;
    const exec = {
      command: process.execPath,
      args: ['-e', script],
      apiVersion: 'client.authentication.orch.io/v1beta1',
    };
    const credentials = credentialsOf(readConnection(file({ exec })));
    const tooLong = new AbortController();
    const waiting = credentials.get(tooLong.signal);
    const pid = await waitUntil('the plug-in runs', () => existsSync(mark) && readFileSync(mark, 'utf8'));
    tooLong.abort(new Error('took too long'));
    await assert.rejects(waiting, /took too long/);
    await waitUntil('it has ended', () => {
      try {
        return process.kill(Number(pid), 0) ? undefined : true;
      } catch {
        return true;
      }
    });
    assert.deepEqual((await credentials.get(signal)).headers, { authorization: 'Bearer t' });
  });

  it('shows the install hint if a plug-in does not exist', async () => {
    const exec = {
      command: 'no-such-plugin',
      installHint: 'get it from the shop',
      apiVersion: 'client.authentication.orch.io/v1beta1',
    };
    await assert.rejects(credentialsOf(readConnection(file({ exec }))).get(signal), /get it from the shop/);
  });

  it('reads a replaced file again, and keeps the old text if the file cannot be read', () => {
    let now = 0;
    const at = path.join(folder, 'text');
    writeFileSync(at, 'one');
    const text = new WatchedText({ file: at }, () => now);
    assert.equal(text.get(), 'one');
    writeFileSync(at, 'other');
    utimesSync(at, 1, 1);
    assert.equal(text.get(), 'one');
    now += 10_000;
    assert.equal(text.get(), 'other');
    rmSync(at);
    now += 10_000;
    assert.equal(text.get(), 'other');
  });
});
