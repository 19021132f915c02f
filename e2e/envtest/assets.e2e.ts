import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '#scripts/processes.ts';
import { programToTest } from '#scripts/programs.ts';

const MODULE = path.join(import.meta.dirname, 'module');

/** The exit status of a program, and all its output. */
async function run(folder: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(command, args, { cwd: folder, env: { ...process.env, ...env } });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const status = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  return { status, output: (await said).join('') };
}

describe('envtest assets', function () {
  this.timeout(600_000);
  let folder: string;
  let assets: string;

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'envtest-'));
    assets = path.join(folder, 'assets');
    const { main } = programToTest('dev/main');
    const { status, output } = await run(folder, process.execPath, [main, 'envtest-assets', assets]);
    assert.equal(status, 0, output);
    assert.equal(output, `KUBEBUILDER_ASSETS=${assets}\n`);
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are three programs', () => assert.deepEqual(readdirSync(assets).sort(), ['etcd', 'kube-apiserver', 'kubectl']));

  it('show the flags that test suites look for', async () => {
    const server = await run(folder, path.join(assets, 'kube-apiserver'), ['--help']);
    assert.match(server.output, /--service-account-signing-key-file/);
    assert.doesNotMatch(server.output, /--insecure-port/);
    assert.match((await run(folder, path.join(assets, 'etcd'), ['--help'])).output, /--unsafe-no-fsync/);
  });

  it('include an etcd replacement that is healthy and lists the flags without effect', async () => {
    const port = await freePort(25_000 + Math.floor(Math.random() * 1000));
    const args = [`--listen-client-urls=http://127.0.0.1:${port}`, `--data-dir=${folder}`, '--unsafe-no-fsync=true'];
    const etcd = spawn(path.join(assets, 'etcd'), args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const said = text(etcd.stderr);
    const ended = new Promise((resolve) => etcd.once('exit', resolve));
    try {
      for (let tries = 0; ; tries++) {
        const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
        if (answer?.status === 200) break;
        assert.ok(tries < 500, 'it does not answer');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    } finally {
      etcd.kill('SIGTERM');
    }
    assert.equal(await ended, 0);
    assert.match(await said, /data-dir, unsafe-no-fsync/);
  });

  for (const [what, controllers] of [
    ['without controllers', ''],
    ['with controllers', '1'],
  ])
    it(`run a suite in Go, ${what}`, async function () {
      if (spawnSync('go', ['version']).status !== 0) this.skip();
      const module = path.join(folder, 'module');
      cpSync(MODULE, module, { recursive: true });
      // If modules cannot be fetched, this test has nothing to run.
      if (spawnSync('go', ['mod', 'download'], { cwd: module, timeout: 240_000 }).status !== 0) this.skip();
      const env = { KUBEBUILDER_ASSETS: assets, ORCH_DEV_CONTROLLERS: controllers };
      const { status, output } = await run(module, 'go', ['test', '-count=1', '-v', './...'], env);
      assert.equal(status, 0, output);
      assert.match(output, controllers === '1' ? /--- PASS: TestControllers/ : /--- SKIP: TestControllers/);
    });
});
