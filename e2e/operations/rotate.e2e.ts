import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiRequest } from '#scripts/api-request.ts';
import { REPLICAS } from '#scripts/compose-services.ts';
import type { Pki } from '#scripts/pki.ts';
import { type ComposeStack, type Entry, startCompose } from '../compose-stack.ts';
import { startClient } from '../persistent-client.ts';

const script = path.resolve(import.meta.dirname, '../../scripts/rotate.ts');

/**
 * The credentials of a folder, as used by a client that reads changed files again. It never uses the certificate of one
 * pair with the key of another.
 */
function renewing(folder: string): Pki {
  const names = ['ca.crt', 'admin.crt', 'admin.key'] as const;
  const file = (name: string) => path.join(folder, name);
  let known: Readonly<Record<string, string>> = {};
  return {
    directory: folder,
    file,
    read: (name) => {
      const now = Object.fromEntries(names.map((one) => [one, readFileSync(file(one), 'utf8')]));
      // The files act like a single file connection.conf. All of them are from before the rotation, or all from after
      // it.
      if (isPair(now['admin.crt']!, now['admin.key']!)) known = now;
      return known[name]!;
    },
  };
}

function isPair(cert: string, key: string): boolean {
  const { createPrivateKey } = process.getBuiltinModule('node:crypto');
  return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
}

describe('make rotate', function () {
  this.timeout(300_000);
  let stack: ComposeStack;
  let entry: Entry;

  before(async () => {
    stack = await startCompose({ SHUTDOWN_DELAY: '3s' });
    await stack.healthy(stack.services, 120);
    const pki = renewing(path.join(stack.compose.state, 'pki/admin'));
    const { port } = stack.entry;
    entry = { port, pki, request: (method, target, body) => apiRequest(pki, port, method, target, body, 30_000) };
  });

  after(() => stack?.down());

  async function rotate(
    authority: string,
    ...flags: string[]
  ): Promise<{ readonly status: number; readonly output: string }> {
    const child = spawn(process.execPath, [script, `--authority=${authority}`, ...flags], {
      env: { ...process.env, ...stack.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
    const [status] = (await once(child, 'exit')) as [number];
    return { status, output };
  }

  for (const authority of ['ca', 'etcd-ca', 'front-ca', 'signing-ca']) {
    it(`replaces ${authority} without a failed request`, async () => {
      const bundle = () => readFileSync(path.join(stack.compose.state, `pki/apiserver/${authority}.crt`), 'utf8');
      const before = bundle();
      const client = startClient(entry, authority);
      try {
        await sleep(500);
        const { status, output } = await rotate(authority);
        assert.equal(status, 0, output);
        assert.match(output, /trusted everywhere.*signed by it.*trusted by nothing/s);
        await sleep(500);
      } finally {
        await client.stop();
      }
      assert.deepEqual([...client.failures, ...client.violations], []);
      assert.ok(client.acknowledged.length > 10, `${client.acknowledged.length} objects were created`);
      const after = bundle();
      assert.equal(after.match(/BEGIN CERTIFICATE/g)?.length, 1);
      assert.notEqual(new X509Certificate(after).subject, new X509Certificate(before).subject);
    });
  }

  it('runs as single steps on separate machines, and only in the right order', async () => {
    const replicas = REPLICAS.map((one) => `--replica=${stack.compose.address(one)}`);
    const step = (name: string) => rotate('front-ca', `--folder=${stack.compose.state}`, `--step=${name}`, ...replicas);
    for (const wrong of ['sign', 'forget']) {
      const { status, output } = await step(wrong);
      assert.equal(status, 1);
      assert.match(output, /The last step of front-ca was forget; the next one is trust/);
    }
    for (const right of ['trust', 'sign', 'forget']) {
      const { status, output } = await step(right);
      assert.equal(status, 0, output);
      assert.match(output, /^Bring the folders in /);
    }
    const { status, output } = await step('check');
    assert.equal(status, 0, output);
    assert.match(output, /The step forget of front-ca has reached everything/);
  });

  it('leaves all services healthy', () => stack.healthy(stack.services, 60));
});
