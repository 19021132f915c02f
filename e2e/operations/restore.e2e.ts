import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ComposeStack, startCompose } from '../compose-stack.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const script = path.resolve(import.meta.dirname, '../../scripts/restore.ts');

describe('make restore', function () {
  this.timeout(240_000);
  let stack: ComposeStack;
  let data: string;

  before(async () => {
    stack = await startCompose({ SHUTDOWN_DELAY: '1s' });
    data = path.join(stack.compose.state, 'data');
    await stack.healthy(stack.services, 120);
  });

  after(() => stack?.down());

  function restore(snapshot?: string, more: Readonly<Record<string, string>> = {}) {
    const args = snapshot === undefined ? [] : [`--snapshot=${snapshot}`];
    const env = { ...process.env, ...stack.env, ...more };
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { env, encoding: 'utf8' });
    return { status, output: `${stdout}${stderr}` };
  }

  /** Repeats a request until it gets an answer, because connections from before a restore are closed. */
  async function answer(method: string, target: string, body?: object) {
    for (let attempt = 1; ; attempt++) {
      try {
        const found = await stack.entry.request(method, target, body);
        if (found.status < 500 || attempt > 60) return found;
      } catch (error) {
        if (attempt > 60) throw error;
      }
      await sleep(500);
    }
  }

  async function list() {
    const { status, body } = await answer('GET', `${MAPS}?fieldSelector=metadata.name!=orch-root-ca.crt`);
    assert.equal(status, 200, body);
    return JSON.parse(body) as {
      metadata: { resourceVersion: string };
      items: { metadata: { name: string } }[];
    };
  }

  async function names(): Promise<string[]> {
    return (await list()).items.map(({ metadata }) => metadata.name);
  }

  async function version(): Promise<number> {
    return Number((await list()).metadata.resourceVersion);
  }

  async function create(name: string): Promise<void> {
    const { status, body } = await answer('POST', MAPS, { metadata: { name } });
    assert.equal(status, 201, body);
  }

  it('changes nothing if it fails', async () => {
    await create('saved');
    stack.compose.run('exec', '-T', 'etcd1', 'etcdctl', 'snapshot', 'save', '/data/backup.db');
    await create('later');

    const missing = restore(path.join(data, 'none.db'));
    assert.equal(missing.status, 1);
    assert.match(missing.output, /There is no snapshot/);

    const broken = path.join(data, 'broken.db');
    writeFileSync(broken, 'garbage');
    const refused = restore(broken);
    assert.equal(refused.status, 1, refused.output);
    assert.match(refused.output, /Nothing has been changed/);
    rmSync(broken);

    const withoutTools = restore(undefined, { ETCD_IMAGE: stack.env['HAPROXY_IMAGE']! });
    assert.equal(withoutTools.status, 1, withoutTools.output);
    assert.match(withoutTools.output, /neither etcdutl nor etcdctl.*Set ETCD_IMAGE/s);

    assert.deepEqual(await names(), ['later', 'saved']);
    assert.deepEqual(readdirSync(path.join(data, 'etcd2')), ['etcd']);
  });

  for (const time of [1, 2, 3]) {
    it(`restores the backup, run ${time}`, async () => {
      await create(`before-${time}`);
      const newest = await version();
      const { status, output } = restore();
      assert.equal(status, 0, output);
      assert.ok((await version()) > newest, output);
      assert.deepEqual(await names(), ['saved'], output);
      await create(`after-${time}`);
      assert.deepEqual(await names(), [`after-${time}`, 'saved']);
      const before = readdirSync(path.join(data, 'etcd3')).filter((name) => name.startsWith('before-'));
      assert.equal(before.length, time);
    });
  }
});
