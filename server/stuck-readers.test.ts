import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { EtcdProcess } from '../storage-etcd/testing/etcd-process.ts';
import { startReplica, type TestReplica, testNaming, testPki } from './testing/replica.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

describe('a client that does not read its list', function () {
  this.timeout(180_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'stuck-'));
  const log = path.join(folder, 'audit.log');
  const sockets: TLSSocket[] = [];
  let etcd: EtcdProcess;
  let server: TestReplica;

  before(async () => {
    const policy = path.join(folder, 'policy.json');
    const rules = [{ level: 'Metadata' }];
    writeFileSync(policy, JSON.stringify({ apiVersion: testNaming.apiVersion('audit', 'v1'), kind: 'Policy', rules }));
    etcd = await EtcdProcess.start();
    server = await startReplica(etcd.endpoint, `--audit-policy-file=${policy}`, `--audit-log-path=${log}`);
    // more than the system holds for a connection, compressed or not
    for (let i = 0; i < 20; i++) {
      const body = { metadata: { name: `m${i}` }, data: { k: randomBytes(650_000).toString('base64') } };
      assert.equal((await server.call('POST', MAPS, { body })).status, 201);
    }
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await server?.stop();
    await etcd?.stop();
    rmSync(folder, { recursive: true });
  });

  const stages = (id: string): string[] =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes(`"auditID":"${id}"`))
      .map((line) => JSON.parse(line).stage);

  const ends: readonly [what: string, leaves: boolean][] = [
    ['when its time is over', false],
    ['when it leaves', true],
  ];
  for (const encoding of ['gzip', 'identity']) {
    for (const [when, leaves] of ends) {
      it(`(${encoding}) has the request end, also in the audit log, ${when}`, async () => {
        const id = `${encoding}-${leaves}`;
        const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => testPki().read(name));
        const socket = connect({ host: '127.0.0.1', port: server.port, ca, cert, key, servername: 'localhost' });
        sockets.push(socket);
        socket.on('error', () => {}).pause();
        const time = leaves ? '60s' : '1s';
        const headers = `Host: x\r\nAudit-ID: ${id}\r\nAccept-Encoding: ${encoding}\r\n`;
        socket.write(`GET ${MAPS}?timeout=${time} HTTP/1.1\r\n${headers}\r\n`);
        if (leaves) {
          await sleep(1000);
          assert.deepEqual(stages(id), ['RequestReceived'], 'the answer is under way');
          socket.destroy();
        }
        for (let waited = 0; waited < 60_000 && stages(id).length < 2; waited += 100) await sleep(100);
        assert.deepEqual(stages(id), ['RequestReceived', 'ResponseComplete']);
      });
    }
  }
});
