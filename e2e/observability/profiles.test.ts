import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { profileKinds } from '#program/process/profiles.ts';
import { aroundAll } from '#server/testing/around-all.ts';
import { startReplica, type TestReplica } from '#server/testing/replica.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

describe('profiles of a replica', function () {
  this.timeout(90_000);
  let replica: TestReplica;
  let etcd: EtcdProcess;

  aroundAll((...started) => {
    [replica, etcd] = started;
  });

  it('are listed on an HTML page', async () => {
    const { status, headers, text } = await replica.call('GET', '/debug/pprof/');
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8']);
    for (const { name } of profileKinds) assert.match(text, new RegExp(`<a href="${name}">`));
    const moved = await replica.call('GET', '/debug/pprof');
    assert.deepEqual([moved.status, moved.headers['location']], [302, '/debug/pprof/']);
    assert.match(moved.text, /Found/);
    const posted = await replica.call('POST', '/debug/pprof');
    assert.deepEqual([posted.status, posted.headers['content-type'], posted.text], [302, undefined, '']);
  });

  it('show the use of processor time in the format of browsers', async () => {
    const taken = replica.call('GET', '/debug/pprof/profile?seconds=0.3');
    const meanwhile = await replica.call('GET', '/debug/pprof/heap?seconds=0.3');
    const { status, headers, text } = await taken;
    assert.deepEqual([status, meanwhile.status].sort(), [200, 409], 'one at a time');
    const good = status === 200 ? { headers, text } : meanwhile;
    assert.match(String(good.headers['content-disposition']), /\.(cpu|heap)profile"$/);
    const again = await replica.call('GET', '/debug/pprof/profile?seconds=0.3');
    const profile = JSON.parse(again.text) as { nodes: unknown[]; samples: unknown[]; timeDeltas: unknown[] };
    assert.ok(profile.nodes.length > 1 && profile.samples.length === profile.timeDeltas.length);
  });

  it('show the use of memory', async () => {
    const held: object[] = [];
    const holding = setInterval(() => held.push(Array.from({ length: 10_000 }, (_, i) => ({ i }))), 10);
    const { status, text, headers } = await replica.call('GET', '/debug/pprof/heap?seconds=0.5');
    clearInterval(holding);
    assert.equal(status, 200);
    assert.match(String(headers['content-disposition']), /"heap\.heapprofile"$/);
    assert.ok((JSON.parse(text) as { head: { children: unknown[] } }).head.children.length > 0);
  });

  const plain: readonly [path: string, status: number, text: RegExp][] = [
    ['/debug/pprof/profile?seconds=0', 400, /must be a number above zero/],
    ['/debug/pprof/profile?seconds=x', 400, /must be a number above zero/],
    ['/debug/pprof/profile?seconds=3600', 400, /longer than a request may/],
    ['/debug/pprof/nosuch', 404, /^Unknown profile\n$/],
    ['/debug/flags/v', 406, /^unsupported http method\n$/],
    ['/debug/flags', 200, /<tr>v<br>/],
    ['/debug/flags/other', 200, /<tr>v<br>/],
  ];
  for (const [path, status, text] of plain) {
    it(`${path}: ${status}`, async () => {
      const answer = await replica.call('GET', path);
      assert.equal(answer.status, status);
      assert.match(answer.text, text);
    });
  }

  it('require authorization', async () => {
    for (const path of ['/debug/pprof/', '/debug/pprof/profile', '/debug/flags/v'])
      assert.equal((await replica.call('GET', path, { token: '' })).status, 403, path);
  });

  it('and the log verbosity can be changed', async () => {
    const set = (raw: string) => replica.call('PUT', '/debug/flags/v', { raw });
    assert.equal((await set('3')).text, 'successfully set klog.logging.verbosity to 3\n');
    const refusals: readonly [raw: string, why: string][] = [
      ['loud', 'invalid syntax'],
      ['1.5', 'invalid syntax'],
      ['2147483648', 'value out of range'],
    ];
    for (const [raw, why] of refusals) {
      const { status, text, headers } = await set(raw);
      assert.deepEqual([status, text.endsWith(`: ${why}\n`)], [400, true], text);
      assert.deepEqual([headers['content-type'], headers['x-content-type-options']], ['text/plain', 'nosniff']);
    }
    await set('0');
  });

  it('are not served with --profiling=false', async () => {
    const closed = await startReplica(etcd.endpoint, '--profiling=false');
    for (const path of ['/debug/pprof/', '/debug/pprof/heap', '/debug/flags/v'])
      assert.equal((await closed.call('GET', path)).status, 404, path);
    await closed.stop();
  });

  it('include a heap snapshot', async () => {
    // The process has little data in memory.
    const program = `
      const { profileKinds } = await import(${JSON.stringify(import.meta.resolve('#program/process/profiles.ts'))});
      const { take } = profileKinds.find(({ name }) => name === 'heapsnapshot');
      for await (const piece of await take(0, AbortSignal.timeout(60_000))) process.stdout.write(piece);
    `;
    const args = ['--input-type=module', '-e', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 100_000_000 });
    assert.match(stdout, /^\{"snapshot":\{"meta":/);
  });
});
