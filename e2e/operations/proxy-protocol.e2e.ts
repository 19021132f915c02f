import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureTool } from '#scripts/ensure-tool.ts';
import { type Background, freePort, startBackground, waitFor } from '#scripts/processes.ts';
import { type EtcdContainer, startEtcdContainer } from '../etcd-container.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';

const configuration = path.resolve(import.meta.dirname, '../../deploy/haproxy/haproxy.cfg');
const policy = path.resolve(import.meta.dirname, '../../deploy/config/audit-policy.yaml');

describe('a replica behind deploy/haproxy', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'proxied-'));
  const log = path.join(folder, 'audit.log');
  let etcd: EtcdContainer;
  let replica: Replica;
  let balancer: Background;

  before(async () => {
    etcd = await startEtcdContainer();
    const flags = ['--proxy-protocol-from=127.0.0.0/8', `--audit-policy-file=${policy}`, `--audit-log-path=${log}`];
    replica = await startReplica(temporaryPki(), etcd.url, { flags });
  });

  after(async () => {
    await balancer?.stop();
    await replica?.stop();
    await etcd?.stop();
    rmSync(folder, { recursive: true });
  });

  afterEach(() => balancer?.stop());

  /**
   * Starts HAProxy as deploy/ does, on free ports, with one replica. Resolves to its port when it accepts connections.
   */
  async function startBalancer(options: string, more: Readonly<Record<string, string>> = {}): Promise<number> {
    const start = 29000 + Math.floor(Math.random() * 1000);
    const port = await freePort(start);
    const status = await freePort(start, [port]);
    const text = readFileSync(configuration, 'utf8')
      .replace('bind :6443', `bind 127.0.0.1:${port}`)
      .replace('bind :8404', `bind 127.0.0.1:${status}`)
      .replace(/^ {4}server replica[23] .*\n/gm, '');
    const file = path.join(folder, 'haproxy.cfg');
    writeFileSync(file, text);
    balancer = startBackground(
      'haproxy',
      ensureTool('haproxy', 'haproxy'),
      ['-W', '-db', '-f', file],
      path.join(folder, 'haproxy.log'),
      {
        REPLICA1: `127.0.0.1:${replica.port}`,
        REPLICA_CA: replica.pki.file('ca.crt'),
        ...(options === '' ? {} : { REPLICA_OPTIONS: options }),
        ...more,
      },
    );
    const isUp = async () => (await fetch(`http://127.0.0.1:${status}/healthz`)).status === 200;
    await waitFor(balancer, 30, isUp);
    return port;
  }

  /**
   * Creates a config map from one of this machine's own addresses, and returns the client's addresses in the audit log.
   */
  async function sourceOf(port: number, name: string, localAddress: string): Promise<string[]> {
    const { pki } = replica;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = https.request({
        ...{ host: '127.0.0.1', port, localAddress, agent: false, method: 'POST' },
        ...{ path: '/api/v1/namespaces/default/configmaps', headers: { 'Content-Type': 'application/json' } },
        ...{ ca: pki.read('ca.crt'), cert: pki.read('admin.crt'), key: pki.read('admin.key') },
      });
      request.on('response', (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode));
      });
      request.on('error', reject);
      request.end(JSON.stringify({ metadata: { name } }));
    });
    assert.equal(status, 201);
    // The server writes the line after the client has its answer. If it never does, mocha's time limit ends the test.
    for (;;) {
      const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
      const events = lines.map((line) => JSON.parse(line) as { objectRef?: { name?: string }; sourceIPs: string[] });
      const found = events.findLast(({ objectRef }) => objectRef?.name === name);
      if (found !== undefined) return found.sourceIPs;
      await sleep(20);
    }
  }

  it('sees the address of the load balancer without the PROXY protocol', async () => {
    assert.deepEqual(await sourceOf(await startBalancer(''), 'plain', '127.0.0.7'), ['127.0.0.1']);
  });

  it('is served by an unprivileged process if the load balancer starts as root', async function () {
    if (process.getuid?.() !== 0) return this.skip();
    const port = await startBalancer('', { HAPROXY_USER: 'haproxy' });
    const { pid } = balancer;
    const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    assert.ok(workers.length > 0);
    for (const worker of workers)
      assert.doesNotMatch(readFileSync(`/proc/${worker}/status`, 'utf8'), /^Uid:.*\b0\b/m, 'the worker is not root');
    assert.deepEqual(await sourceOf(port, 'unprivileged', '127.0.0.7'), ['127.0.0.1']);
  });

  it('sees the address of the client with the PROXY protocol', async () => {
    const port = await startBalancer('check send-proxy-v2');
    assert.deepEqual(await sourceOf(port, 'proxied', '127.0.0.7'), ['127.0.0.7']);
  });
});
