import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica, testNaming, testPki } from '#server/testing/replica.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

/** The part of a line of the log that the test keeps, in bytes: all except objects. */
const HEAD = 4_000;
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
    const rules = [
      { level: 'RequestResponse', verbs: ['list'], resources: [{ group: '', resources: ['configmaps'] }] },
      { level: 'None' },
    ];
    writeFileSync(policy, JSON.stringify({ apiVersion: testNaming.apiVersion('audit', 'v1'), kind: 'Policy', rules }));
    etcd = await startBootstrappedEtcd();
    server = await startReplica(etcd.endpoint, `--audit-policy-file=${policy}`, `--audit-log-path=${log}`);
    // The operating system cannot buffer this much for a connection, compressed or not.
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

  let read = 0;
  const lines = new Map<string, string[]>();
  /** The lines of a request in the log. The log grows by many megabytes, so each call reads only the new part. */
  const linesOf = (id: string): readonly string[] => {
    const file = openSync(log, 'r');
    const added = Buffer.allocUnsafe(fstatSync(file).size - read);
    readSync(file, added, 0, added.length, read);
    closeSync(file);
    const end = added.lastIndexOf('\n') + 1;
    read += end;
    for (let from = 0; from < end; ) {
      const to = added.indexOf('\n', from) + 1;
      const [, of = ''] = /"auditID":"([^"]*)"/.exec(added.toString('latin1', from, from + HEAD)) ?? [];
      // For a large answer, the test keeps only the beginning of the line, which contains the stage.
      const kept = added.toString('utf8', from, of === 'small' ? to : Math.min(to, from + HEAD));
      lines.set(of, [...(lines.get(of) ?? []), kept]);
      from = to;
    }
    return lines.get(id) ?? [];
  };
  const stages = (id: string) => linesOf(id).map((line) => /"stage":"(\w+)"/.exec(line)?.[1]);
  const recorded = async (id: string, count: number): Promise<void> => {
    for (let waited = 0; waited < 60_000 && linesOf(id).length < count; waited += 20) await sleep(20);
  };

  /** Requests the list and does not read it. */
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
    ['at its timeout', false],
    ['when the client leaves', true],
  ];
  for (const encoding of ['gzip', 'identity']) {
    for (const [when, leaves] of ends) {
      it(`(${encoding}) ends the request and its audit record ${when}`, async () => {
        const id = `${encoding}-${leaves}`;
        const socket = stuck(id, `timeout=${leaves ? 60 : 1}s`, encoding);
        if (leaves) {
          await recorded(id, 1);
          await sleep(1000);
          assert.deepEqual(stages(id), ['RequestReceived'], 'the answer is under way');
          socket.destroy();
        }
        await recorded(id, 2);
        assert.deepEqual(stages(id), ['RequestReceived', 'ResponseComplete']);
      });
    }
  }

  it('is recorded without a large list, but with a small one', async () => {
    await server.call('GET', MAPS, { headers: { 'Audit-ID': 'large' } });
    await server.call('GET', `${MAPS}?limit=3`, { headers: { 'Audit-ID': 'small' } });
    await recorded('small', 2);
    const [large, small] = ['large', 'small'].map((id) => JSON.parse(linesOf(id)[1]!));
    assert.equal(large.responseObject, undefined);
    assert.equal(large.annotations[testNaming.key('audit/truncated')], 'true');
    assert.equal(small.responseObject.items.length, 3);
    assert.equal(small.annotations[testNaming.key('audit/truncated')], undefined);
  });

  it('does not make the audit log keep a copy of the list', async () => {
    const held = () => {
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = held();
    // The answers are smaller than the size above which the server keeps no body.
    const open = Array.from({ length: 24 }, (_, i) => stuck(`many-${i}`, 'limit=11', 'identity'));
    await recorded('many-23', 1);
    await sleep(1000);
    const grown = held() - before;
    for (const socket of open) socket.destroy();
    // A copy of each answer, in one form, would need 230 MB. Data that the clients do not read needs only some
    // megabytes for each.
    assert.ok(grown < 160_000_000, `${grown} bytes`);
  });
});
