import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectedClient, connect } from '#client/client.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { chooseConnection, readConnectionFiles } from '#program/connection/connection-file.ts';
import { buildDevImage, buildNodeImage } from '#scripts/image.ts';
import { findOldestNode } from '#scripts/oldest-node.ts';
import { stageDev } from '#scripts/pack-dev.ts';
import { freePort } from '#scripts/processes.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };

/** The longest time for the start of a cluster on a busy machine, in milliseconds. */
const START_MS = 60_000;

/** Writes and reads as the administrator of a connection file. */
async function writeAndRead(file: string): Promise<void> {
  const client: ConnectedClient = await connect(chooseConnection(readConnectionFiles([file])));
  try {
    const maps = client.resource(coreV1.configmaps).in('default');
    await maps.create({ metadata: { name: 'packed' }, data: { colour: 'blue' } });
    assert.equal((await maps.get('packed')).data?.['colour'], 'blue');
  } finally {
    await client.close();
  }
}

describe('the packed orch-dev package', function () {
  this.timeout(240_000);
  let folder: string;
  let project: string;
  let packed: string;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'packed-dev-'));
    const staged = path.join(folder, 'staged');
    await stageDev(root, staged);
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: staged });
    packed = path.join(folder, `orch-dev-${version}.tgz`);
    project = path.join(folder, 'project');
    mkdirSync(project);
    writeFileSync(path.join(project, 'package.json'), '{ "name": "foreign", "private": true }');
    // This is the only program on the PATH, so there cannot be an etcd.
    const bin = path.join(folder, 'bin');
    mkdirSync(bin);
    symlinkSync(process.execPath, path.join(bin, 'node'));
    const temporary = path.join(folder, 'temporary');
    mkdirSync(temporary);
    env = { PATH: bin, HOME: project, TMPDIR: temporary };
    const settings = ['--offline', '--silent', '--no-audit', '--no-fund', '--cache', path.join(folder, 'cache')];
    execFileSync('npm', ['install', ...settings, packed], { cwd: project });
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  const installed = (...args: string[]): ChildProcess =>
    spawn(path.join(project, 'node_modules/.bin/orch-dev'), args, { cwd: project, env });

  it('starts with npx', () => {
    const settings = ['--yes', '--offline', '--cache', path.join(folder, 'cache')];
    const { status, stdout, stderr } = spawnSync('npx', [...settings, `file:${packed}`, '--version'], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    assert.match(stdout, new RegExp(`^orch-dev ${version}, `));
  });

  it('starts a cluster in an empty project and leaves no files or processes', async () => {
    const child = installed('--kubeconfig=admin.conf');
    const complaint = readAll(child.stderr!);
    const exited = once(child, 'exit');
    const [line] = (await Promise.race([once(child.stdout!, 'data'), exited])) as [Buffer | number];
    assert.ok(Buffer.isBuffer(line), Buffer.isBuffer(line) ? '' : await complaint);
    assert.equal(JSON.parse(line.toString()).kubeconfig, path.join(project, 'admin.conf'));
    await writeAndRead(path.join(project, 'admin.conf'));
    child.kill('SIGINT');
    assert.deepEqual(await exited, [0, null]);
    assert.deepEqual(readdirSync(env['TMPDIR']!), []);
    assert.equal(await complaint, '');
  });

  it('writes envtest assets with a working command line', async () => {
    const child = installed('envtest-assets', 'assets');
    const printed = await readAll(child.stdout!);
    const [, assets = ''] = /^\w+=(.*)\n$/.exec(printed) ?? [];
    const programs = readdirSync(assets).filter((name) => name.endsWith('ctl'));
    assert.equal(programs.length, 1, programs.join());
    const help = execFileSync(path.join(assets, programs[0]!), ['--help'], { env, encoding: 'utf8' });
    assert.match(help, /^ +get +/m);
  });

  it('names the required Node.js version on an older one', function () {
    const oldest = findOldestNode();
    if (oldest === undefined) return this.skip();
    const main = path.join(project, 'node_modules/orch-dev/dist/dev/main.js');
    const { status, stderr } = spawnSync(oldest, [main], { env, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /^orch-dev: this program needs Node\.js 24 or later, and this is v20\.[\d.]+\n$/);
  });

  it('contains no path of the build machine', () => {
    const at = path.join(project, 'node_modules/orch-dev');
    const naming = readdirSync(at, { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.(c?js|json|md)$/.test(name) && readFileSync(path.join(at, name), 'utf8').includes(root),
    );
    assert.deepEqual(naming, []);
  });

  it('runs as a container image that clients reach through a published port', async function () {
    const host = process.env['DOCKER_HOST'];
    if (host === undefined) return this.skip();
    const image = await buildDevImage({ host, name: 'orch-dev:e2e', base: buildNodeImage(host) });
    const docker = (...args: string[]): string => execFileSync('docker', ['-H', host, ...args], { encoding: 'utf8' });
    const port = await freePort(20_000 + Math.floor(Math.random() * 1000));
    const flags = ['--read-only', '--tmpfs=/tmp', `--publish=127.0.0.1:${port}:${port}`];
    const id = docker('run', '--detach', ...flags, image, `--port=${port}`, '--hosts=cluster.test').trim();
    try {
      const giveUpAt = Date.now() + START_MS;
      while (!docker('logs', id).includes('"url"')) {
        const runs = docker('inspect', '--format={{.State.Running}}', id).trim();
        assert.ok(runs === 'true' && Date.now() < giveUpAt, docker('logs', id));
        await sleep(100);
      }
      const file = path.join(folder, 'container.conf');
      writeFileSync(
        file,
        docker('exec', id, 'node', '-e', 'process.stdout.write(fs.readFileSync("/tmp/admin.conf"))'),
        { mode: 0o600 },
      );
      await writeAndRead(file);
      docker('stop', '--time=10', id);
      assert.equal(docker('inspect', '--format={{.State.ExitCode}}', id).trim(), '0');
    } finally {
      docker('rm', '--force', id);
    }
  });
});
