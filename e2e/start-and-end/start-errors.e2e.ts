import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startReplica, testPki } from '#server/testing/replica.ts';
import { ReplicaProcess } from '#server/testing/replica-process.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

describe('a failed start', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'start-errors-'));
  const garbage = path.join(folder, 'garbage.pem');
  const missing = path.join(folder, 'missing.key');
  let etcd: EtcdProcess;
  let secure: EtcdProcess;
  let taken: Server;
  let port: number;

  before(async () => {
    writeFileSync(garbage, 'garbage');
    [etcd, secure] = await Promise.all([EtcdProcess.start(), EtcdProcess.start({ tls: true })]);
    taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    ({ port } = taken.address() as AddressInfo);
  });

  after(async () => {
    taken?.close();
    await Promise.all([etcd?.stop(), secure?.stop()]);
    rmSync(folder, { recursive: true });
  });

  const otherWords = (scheme: string, { endpoint }: EtcdProcess) => endpoint.replace(/^https?/, scheme);
  const pki = testPki();
  const cases: [what: string, servers: () => string, flags: () => string[], why: RegExp][] = [
    [
      'a port that is in use',
      () => etcd.endpoint,
      () => [`--secure-port=${port}`],
      /^cannot listen on 127\.0\.0\.1 port \d+ \(--bind-address, --secure-port\): another process has this port$/,
    ],
    [
      'a missing key file',
      () => etcd.endpoint,
      () => [`--tls-private-key-file=${missing}`],
      /^flag --tls-private-key-file: \S+missing\.key cannot be read: ENOENT/,
    ],
    [
      'a file that is not a certificate',
      () => etcd.endpoint,
      () => [`--tls-cert-file=${garbage}`],
      /^flag --tls-cert-file: \S+garbage\.pem holds no certificate/,
    ],
    [
      'a key that does not match its certificate',
      () => etcd.endpoint,
      () => [`--tls-private-key-file=${pki.file('admin.key')}`],
      /^flag --tls-private-key-file: \S+admin\.key is not the key of the certificate in \S+server\.crt$/,
    ],
    [
      'a key that does not match a certificate for some names',
      () => etcd.endpoint,
      () => [`--tls-sni-cert-key=${pki.file('server.crt')},${pki.file('admin.key')}:a.example`],
      /^flag --tls-sni-cert-key: \S+admin\.key is not the key of the certificate in \S+server\.crt$/,
    ],
    [
      'plain HTTP to an etcd with TLS',
      () => otherWords('http', secure),
      () => [],
      /^etcd does not answer.*speaks TLS: write https:\/\/ in --etcd-servers, and give --etcd-cafile$/,
    ],
    [
      'TLS to a plain etcd',
      () => otherWords('https', etcd),
      () => [],
      /^etcd does not answer.*does not speak TLS: write http:\/\/ in --etcd-servers/,
    ],
  ];
  for (const [what, servers, flags, why] of cases) {
    it(`reports in one line: ${what}`, async () => {
      await assert.rejects(startReplica(servers(), ...flags()), (error: Error) => {
        assert.equal(error.name, 'ConfigError');
        assert.match(error.message, why);
        return true;
      });
    });
  }

  it('waits for an etcd that starts later, and logs it', async () => {
    const late = await EtcdProcess.prepare();
    try {
      const replica = await ReplicaProcess.launch(late);
      try {
        while (!replica.process.tail().includes('asking again for 30 s (--etcd-start-timeout)')) await sleep(50);
        assert.equal(replica.process.exit(), undefined);
        late.launch();
        await replica.ready();
      } finally {
        await replica.process.stop();
      }
    } finally {
      await late.stop();
    }
  });

  it('gives up on an etcd that does not answer within --etcd-start-timeout', async () => {
    const absent = await EtcdProcess.prepare();
    try {
      await assert.rejects(startReplica(absent.endpoint, '--etcd-start-timeout=100ms'), {
        name: 'ConfigError',
        message: /^etcd does not answer/,
      });
    } finally {
      await absent.stop();
    }
  });

  it('reports in one line that etcd requires a user', async () => {
    const strict = await EtcdProcess.start();
    try {
      await enableUsers(strict);
      await assert.rejects(startReplica(strict.endpoint), {
        name: 'ConfigError',
        message: /user name is empty.*it wants a user: give --etcd-certfile and --etcd-keyfile/,
      });
    } finally {
      await strict.stop();
    }
  });

  for (const workers of [1, 2]) {
    it(`prints one line on standard error and exits, with ${workers} workers`, async () => {
      const flags = [`--workers=${workers}`, `--tls-private-key-file=${missing}`];
      const replica = await ReplicaProcess.launch(etcd, ...flags);
      try {
        while (replica.process.exit() === undefined) await sleep(50);
        assert.equal(replica.process.exit(), 'status 1');
        assert.match(replica.process.tail(), /^orch-apiserver: flag --tls-private-key-file: .*ENOENT[^\n]*$/);
      } finally {
        await replica.process.stop();
      }
    });
  }
});

/** Makes etcd serve only users with a password, or with a name in a certificate. */
async function enableUsers({ endpoint }: EtcdProcess): Promise<void> {
  const requests: [action: string, body: object][] = [
    ['user/add', { name: 'root', password: 'secret' }],
    ['role/add', { name: 'root' }],
    ['user/grant', { user: 'root', role: 'root' }],
    ['enable', {}],
  ];
  for (const [action, body] of requests) {
    const { ok, status } = await fetch(`${endpoint}/v3/auth/${action}`, { method: 'POST', body: JSON.stringify(body) });
    assert.ok(ok, `${action}: ${status}`);
  }
}
