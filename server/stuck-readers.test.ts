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
    const rules = [{ level: 'RequestResponse', resources: [{ group: '', resources: ['configmaps'] }] }];
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

  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of any kind
  const events = (id: string): any[] =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes(`"auditID":"${id}"`))
      .map((line) => JSON.parse(line));
  const stages = (id: string): string[] => events(id).map(({ stage }) => stage);

  /** Asks for the list and leaves it unread. */
  const stuck = (id: string, query: string, encoding: string): TLSSocket => {
    const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => testPki().read(name));
    const socket = connect({ host: '127.0.0.1', port: server.port, ca, cert, key, servername: 'localhost' });
    sockets.push(socket);
    socket.on('error', () => {}).pause();
    const headers = `Host: x\r\nAudit-ID: ${id}\r\nAccept-Encoding: ${encoding}\r\n`;
    socket.write(`GET ${MAPS}?${query} HTTP/1.1\r\n${headers}\r\n`);
    return socket;
  };

  const ends: readonly [what: string, leaves: boolean][] = [
    ['when its time is over', false],
    ['when it leaves', true],
  ];
  for (const encoding of ['gzip', 'identity']) {
    for (const [when, leaves] of ends) {
      it(`(${encoding}) has the request end, also in the audit log, ${when}`, async () => {
        const id = `${encoding}-${leaves}`;
        const socket = stuck(id, `timeout=${leaves ? 60 : 1}s`, encoding);
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

  it('is recorded without the list where that is large, and with it where it is not', async () => {
    await server.call('GET', MAPS, { headers: { 'Audit-ID': 'large' } });
    await server.call('GET', `${MAPS}?limit=3`, { headers: { 'Audit-ID': 'small' } });
    for (let waited = 0; waited < 60_000 && stages('small').length < 2; waited += 100) await sleep(100);
    const [, large] = events('large');
    assert.equal(large.responseObject, undefined);
    assert.equal(large.annotations[testNaming.key('audit/truncated')], 'true');
    const [, small] = events('small');
    assert.equal(small.responseObject.items.length, 3);
    assert.equal(small.annotations[testNaming.key('audit/truncated')], undefined);
  });

  it('has no copy of the list kept for the log', async () => {
    const held = () => {
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = held();
    // below the size above which no body is kept
    const open = Array.from({ length: 60 }, (_, i) => stuck(`many-${i}`, 'limit=11', 'identity'));
    for (let waited = 0; waited < 60_000 && stages('many-59').length < 1; waited += 100) await sleep(100);
    await sleep(1000);
    const grown = held() - before;
    for (const socket of open) socket.destroy();
    // a copy of each would be 570 MB, in one form, and what clients do not take is some megabytes each
    assert.ok(grown < 400_000_000, `${grown} bytes`);
  });
});
