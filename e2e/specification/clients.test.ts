import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { runLine } from '#cli/testing/run-line.ts';
import { credentialsOf } from '#client/connection/credentials.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { readConnection } from '#program/connection/connection-file.ts';

const VERSION = 'client.authentication.orch.io/v1';
const BETA = 'client.authentication.orch.io/v1beta1';

describe('the specification: credential plug-ins of clients', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'plugins-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A plug-in that writes its input to `told`, and exits with this status. */
  function plugin(status: object, apiVersion = VERSION, at = path.join(folder, 'plugin')): string {
    mkdirSync(path.dirname(at), { recursive: true });
    const answer = JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
    writeFileSync(
      at,
      `#!${process.execPath}
const told = { args: process.argv.slice(2), extra: process.env.EXTRA, info: JSON.parse(process.env.ORCH_EXEC_INFO) };
require('fs').appendFileSync(${JSON.stringify(path.join(folder, 'told'))}, JSON.stringify(told) + '\\n');
console.log(${JSON.stringify(answer)});`,
    );
    chmodSync(at, 0o755);
    return at;
  }
  function credentials(exec: object, cluster: object = {}) {
    const file = path.join(folder, 'config');
    const document = {
      clusters: [{ name: 'c', cluster: { server: 'https://h:1', ...cluster } }],
      users: [{ name: 'u', user: { exec: { apiVersion: VERSION, interactiveMode: 'Never', ...exec } } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    writeFileSync(file, stringify(document));
    return credentialsOf(readConnection(file));
  }
  const get = (exec: object, cluster: object = {}) => credentials(exec, cluster).get(new AbortController().signal);
  const told = () =>
    readFileSync(path.join(folder, 'told'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const token = { token: 't' };

  it('a plug-in needs a command', () => assert.throws(() => credentials({}), /exec\.command is missing/));

  it('a relative command is relative to the connection file', async () => {
    plugin(token, VERSION, path.join(folder, 'bin', 'plugin'));
    assert.deepEqual((await get({ command: './bin/plugin' })).headers, { authorization: 'Bearer t' });
  });

  it('the version is v1 or v1beta1', async () => {
    assert.throws(() => credentials({ command: plugin(token), apiVersion: undefined }), /apiVersion/);
    assert.throws(() => credentials({ command: plugin(token), apiVersion: `${VERSION}alpha1` }), /apiVersion/);
    assert.ok(await get({ command: plugin(token, BETA), apiVersion: BETA }));
  });

  it('a plug-in answers with the configured version', () =>
    assert.rejects(get({ command: plugin(token, BETA) }), /answered in/));

  it('env adds to the environment', async () => {
    await get({ command: plugin(token), env: [{ name: 'EXTRA', value: 'e' }] });
    assert.equal(told()[0].extra, 'e');
  });

  it('args are passed to the plug-in', async () => {
    await get({ command: plugin(token), args: ['a', 'b c'] });
    assert.deepEqual(told()[0].args, ['a', 'b c']);
  });

  it('the install hint is shown if the command is missing', () =>
    assert.rejects(get({ command: './missing', installHint: 'get it from the shop' }), /get it from the shop/));

  it('the plug-in gets cluster information only with provideClusterInfo', async () => {
    const cluster = {
      'certificate-authority-data': Buffer.from('CA').toString('base64'),
      extensions: [{ name: 'client.authentication.orch.io/exec', extension: { tenant: 'x' } }],
    };
    await get({ command: plugin(token), provideClusterInfo: true }, cluster);
    await get({ command: plugin(token) }, cluster);
    const [with_, without] = told();
    assert.deepEqual(with_.info.spec.cluster, {
      server: 'https://h:1',
      'certificate-authority-data': Buffer.from('CA').toString('base64'),
      config: { tenant: 'x' },
    });
    assert.equal(without.info.spec.cluster, undefined);
  });

  it('the input is an ExecCredential that tells whether input from a terminal is possible', async () => {
    await get({ command: plugin(token) });
    const { apiVersion, kind, spec } = told()[0].info;
    assert.deepEqual([apiVersion, kind, spec], [VERSION, 'ExecCredential', { interactive: false }]);
  });

  it('interactiveMode is required in v1, and defaults to IfAvailable in v1beta1', async () => {
    assert.throws(() => credentials({ command: plugin(token), interactiveMode: undefined }), /interactiveMode/);
    assert.throws(() => credentials({ command: plugin(token), interactiveMode: 'Often' }), /interactiveMode/);
    assert.ok(await get({ command: plugin(token, BETA), apiVersion: BETA, interactiveMode: undefined }));
  });

  it('a plug-in with interactiveMode Always does not run without a terminal', async () => {
    const before = process.stdin.isTTY;
    Object.defineProperty(process.stdin, 'isTTY', { value: undefined, configurable: true });
    try {
      await assert.rejects(get({ command: plugin(token), interactiveMode: 'Always' }), /needs a terminal/);
      assert.throws(told, /ENOENT/);
    } finally {
      Object.defineProperty(process.stdin, 'isTTY', { value: before, configurable: true });
    }
  });

  it('a token is sent as a bearer token', async () =>
    assert.deepEqual((await get({ command: plugin(token) })).headers, { authorization: 'Bearer t' }));

  it('a certificate and a key are required together', async () => {
    await assert.rejects(get({ command: plugin({ clientCertificateData: 'C' }) }), /only one of certificate and key/);
    await assert.rejects(get({ command: plugin({ token: 't', clientKeyData: 'K' }) }), /only one of/);
  });

  it('a new certificate is used by new connections', async () => {
    const counted = (n: number) => ({ clientCertificateData: `C${n}`, clientKeyData: `K${n}` });
    const held = credentials({ command: plugin(counted(1)) });
    const first = await held.get(new AbortController().signal);
    assert.deepEqual(await held.get(new AbortController().signal), first);
    plugin(counted(2));
    held.refused(first);
    const second = await held.get(new AbortController().signal);
    assert.deepEqual([first.tls.cert, first.tls.key, second.tls.cert, second.tls.key], ['C1', 'K1', 'C2', 'K2']);
  });

  it('credentials last until they expire', async () => {
    const past = credentials({ command: plugin({ token: 't', expirationTimestamp: '2000-01-01T00:00:00Z' }) });
    for (let i = 0; i < 2; i++) await past.get(new AbortController().signal);
    assert.equal(told().length, 2);
    const future = credentials({ command: plugin({ token: 't', expirationTimestamp: '2999-01-01T00:00:00Z' }) });
    for (let i = 0; i < 2; i++) await future.get(new AbortController().signal);
    assert.equal(told().length, 3);
  });

  it('credentials without an expiry last until the server refuses them', async () => {
    const kept = credentials({ command: plugin(token) });
    const first = await kept.get(new AbortController().signal);
    await kept.get(new AbortController().signal);
    assert.equal(told().length, 1);
    kept.refused(first);
    await kept.get(new AbortController().signal);
    assert.equal(told().length, 2);
  });
});

describe('the specification: field validation of the command line', () => {
  for (const [flag, level] of [
    ['', 'Strict'],
    ['--validate', 'Strict'],
    ['--validate=true', 'Strict'],
    ['--validate=strict', 'Strict'],
    ['--validate=warn', 'Warn'],
    ['--validate=ignore', 'Ignore'],
    ['--validate=false', 'Ignore'],
  ] as const)
    it(`${flag || 'no flag'} asks for ${level}`, async () => {
      const server = new FakeServer([coreV1.configmaps]);
      let asked: string | null = null;
      server.handle((call, _, query) => {
        if (call.method === 'POST') asked = query.get('fieldValidation');
        return undefined;
      });
      const words = ['create', '-f', '-', ...(flag === '' ? [] : [flag])];
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
      const { code, stderr } = await runLine(words, { client: server.client, input });
      assert.deepEqual([code, asked], [0, level], stderr);
    });
});
