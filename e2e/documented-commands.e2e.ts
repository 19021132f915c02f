import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyOfProject } from '#scripts/copy-of-project.ts';
import { findTool } from '#scripts/ensure-tool.ts';
import { buildHaproxyImage } from '#scripts/haproxy-image.ts';
import { buildNodeImage } from '#scripts/image.ts';
import { freePort } from '#scripts/processes.ts';

// Runs the commands in the code blocks of the guides, in their order, in a copy of the project without built files. The
// tests change a command only where it contains a port or a name that other tests may use. They build images from the
// files of this machine.

const root = path.resolve(import.meta.dirname, '..');
const projectsNode = path.join(root, 'node_modules/.bin');

/**
 * The commands in the shell code blocks of a guide. There is one text for each block, without the indentation of lists.
 */
function fences(guide: string): string[] {
  const text = readFileSync(path.join(root, guide), 'utf8');
  return [...text.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm)].map(([, indent = '', commands = '']) =>
    commands.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** A copy of the project in which the tests run commands. */
class Clone {
  readonly folder = copyOfProject();
  readonly #env: NodeJS.ProcessEnv;
  readonly #background: ChildProcess[] = [];

  /** @param first folders at the beginning of PATH, from whose rest the project's own Node is removed */
  constructor(first: readonly string[], more: Readonly<Record<string, string>>) {
    const machines = (process.env['PATH'] ?? '').split(path.delimiter).filter((one) => one !== projectsNode);
    const { NODE_OPTIONS: _, ...env } = process.env;
    this.#env = { ...env, ...more, PATH: [...first, ...machines].join(path.delimiter) };
  }

  /** Runs commands in a shell that stops at the first error. Resolves to their output. */
  async run(commands: string, seconds = 240): Promise<string> {
    const child = this.#start(commands);
    const timer = setTimeout(() => signal(child, 'SIGKILL'), seconds * 1000);
    const [status, by] = (await once(child, 'close')) as [number | null, string | null];
    clearTimeout(timer);
    assert.equal(status, 0, `${commands}ended with ${status ?? by}:\n${this.#output.get(child)}`);
    return this.#output.get(child) ?? '';
  }

  /** Starts commands that run until Ctrl-C. Resolves when they have printed the text `printed`. */
  async runUntil(commands: string, printed: string, seconds = 120): Promise<void> {
    const child = this.#start(commands);
    this.#background.push(child);
    const end = Date.now() + seconds * 1000;
    while (!this.#output.get(child)?.includes(printed)) {
      const over = child.exitCode !== null || Date.now() > end;
      assert.ok(!over, `${commands}has not printed ${JSON.stringify(printed)}:\n${this.#output.get(child)}`);
      await sleep(100);
    }
  }

  /** Ends the commands in the background as Ctrl-C does, and removes the copy. */
  async remove(): Promise<void> {
    for (const child of this.#background.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'close');
      signal(child, 'SIGINT');
      await ended;
    }
    rmSync(this.folder, { recursive: true });
  }

  readonly #output = new Map<ChildProcess, string>();

  #start(commands: string): ChildProcess {
    // The commands have a separate process group, as in a terminal.
    const child = spawn('bash', ['-euo', 'pipefail', '-c', commands], {
      cwd: this.folder,
      env: this.#env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#output.set(child, '');
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => this.#output.set(child, this.#output.get(child) + chunk.toString()));
    return child;
  }
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid !== undefined) process.kill(-child.pid, name);
}

const nodes: [whose: string, first: string[]][] = [
  ['the machine’s', []],
  ['the project’s', [projectsNode]],
];

for (const [whose, first] of nodes) {
  describe(`the commands of README.md, with ${whose} Node`, function () {
    this.timeout(300_000);
    let clone: Clone;
    let ports: number[];
    /** The commands, with the ports of the guide replaced by the ports of this test. */
    const placed = (commands: string) => commands.replace(/\b644[34]\b/g, (port) => String(ports[Number(port) - 6443]));

    before(async () => {
      const start = await freePort(30_000 + Math.floor(Math.random() * 1000));
      ports = [start, await freePort(start, [start])];
      clone = new Clone(first, { PORTS: ports.join() });
    });

    after(() => clone?.remove());

    const [start = '', session = '', commandLine = '', deployed = '', upstream = '', install = '', ...others] =
      fences('README.md');

    it('are the commands that this test knows', () => {
      assert.match(start, /^make pack && npx .*\nmake run .*\nmake test .*\n$/);
      assert.match(session, /^api\(\) \{/);
      assert.match(commandLine, /^export ORCHCONFIG/);
      assert.match(deployed, /^orchctl create deployment/);
      assert.match(upstream, /^RUN_DIR=\S+ NAMING=kubernetes make run\n/);
      assert.match(install, /^npm install \.\/dist\/\S+\.tgz\n$/);
      assert.deepEqual(others, []);
    });

    it('show the flags of the server', async () => {
      assert.match(readFileSync(path.join(root, 'README.md'), 'utf8'), /`node dist\/server\/main\.js --help`/);
      assert.match(await clone.run('node dist/server/main.js --help'), /--etcd-servers/);
    });

    it('start all programs', async () => {
      const [dev = '', run = '', test = ''] = start.split('\n');
      await clone.runUntil(dev, '"url":"https://127.0.0.1:', 240);
      await clone.runUntil(run, 'Ctrl-C stops everything');
      // This command would run the test itself, so the test only checks that make knows the target.
      assert.match(await clone.run(test.replace('make test', 'make -n test')), /scripts\/test\.ts/);
    });

    it('make the package that is installed', async () => {
      const [, file = ''] = /(dist\/\S+)/.exec(install) ?? [];
      await clone.run(`ls ${file}`);
    });

    it('write, read and watch with curl', async () => {
      const watch = session.split('\n').findLast((line) => line.startsWith('api -N'))!;
      // Instead of Ctrl-C, a timeout ends the watch after the server has sent the existing objects.
      const untilCtrlC = watch.replace('watch=1', 'watch=1&timeoutSeconds=2');
      assert.notEqual(untilCtrlC, watch);
      const printed = await clone.run(placed(session.replace(watch, untilCtrlC)));
      assert.equal(printed.match(/"greeting": ?"hi"/g)?.length, 3, printed);
      assert.match(printed, /"type":"ADDED"/);
    });

    it('write, read and watch with orchctl', async () => {
      const [config = '', alias = '', ...lines] = commandLine.trim().split('\n');
      const program = /^alias orchctl="(\S+ \S+)"/.exec(alias)![1]!;
      // A script has no aliases, so the test calls the program. Instead of Ctrl-C, a timeout ends the watch.
      const commands = lines.map((line) =>
        line.includes('--watch')
          ? `timeout 3 ${line.replace('orchctl', program).replace(/#.*/, '')} || [ $? = 124 ]`
          : line,
      );
      const printed = await clone.run([config, `orchctl() { ${program} "$@"; }`, ...commands].join('\n'));
      assert.match(printed, /^configmap\/world created$/m);
      assert.match(printed, /^world +1 +\d+s$/m);
      assert.match(printed, /^ {2}greeting: hi$/m);
      assert.match(printed, /KIND: +ConfigMap/);
    });

    it('deploy pods that run on simulated nodes', async () => {
      const [config = '', alias = ''] = commandLine.trim().split('\n');
      const program = /^alias orchctl="(\S+ \S+)"/.exec(alias)![1]!;
      const printed = await clone.run([config, `orchctl() { ${program} "$@"; }`, deployed].join('\n'));
      assert.match(printed, /^deployment "web" successfully rolled out$/m);
      assert.match(printed, /^web-\S+ +1\/1 +Running /m);
      assert.match(printed, /^deployment\.apps\/web rolled back$/m);
      assert.match(printed, /^job\.batch\/once condition met$/m);
      assert.match(printed, /^node\/node-0 drained$/m);
    });

    it('serve upstream clients', async function () {
      const [run = '', ...commands] = upstream.trim().split('\n');
      await clone.runUntil(run, 'Ctrl-C stops everything');
      // Not every machine has kubectl.
      if (findTool('kubectl') === undefined) return this.skip();
      assert.match(await clone.run(commands.join('\n')), /^kube-system +Active/m);
    });
  });
}

describe('the commands of docs/operations.md and docs/auditing.md', function () {
  this.timeout(300_000);
  let clone: Clone;
  let port: number;
  let bin: string;
  const project = `documented-${process.pid}`;
  const placed = (commands: string) =>
    commands.replaceAll('127.0.0.1:6443', `127.0.0.1:${port}`).replaceAll('deploy_default', `${project}_default`);

  before(async () => {
    const host = process.env['DOCKER_HOST'];
    assert.ok(host, 'DOCKER_HOST is not set: run these tests by make e2e');
    port = await freePort(31_000 + Math.floor(Math.random() * 1000));
    bin = mkdtempSync(path.join(tmpdir(), 'bin-'));
    if (spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status !== 0) standIn(bin);
    clone = new Clone([bin], {
      COMPOSE_PROJECT_NAME: project,
      PORT: String(port),
      STATUS_PORT: String(await freePort(port, [port])),
      // No client uses a replica that ends. Otherwise, each restart would wait for the load balancer.
      SHUTDOWN_DELAY: '1s',
      BASE_IMAGE: buildNodeImage(host),
      IMAGE: `${project}:local`,
      APISERVER_IMAGE: `${project}:local`,
      ETCD_IMAGE: process.env['E2E_ETCD_IMAGE'] ?? '',
      HAPROXY_IMAGE: buildHaproxyImage(host),
    });
  });

  after(async () => {
    const deploy = path.join(clone.folder, 'deploy');
    mkdirSync(deploy, { recursive: true });
    await clone.run('cd deploy && docker compose down --timeout 1');
    execFileSync('docker', ['image', 'rm', '--force', `${project}:local`], { stdio: 'ignore' });
    await clone.remove();
    rmSync(bin, { recursive: true });
  });

  for (const guide of ['docs/operations.md', 'docs/auditing.md']) {
    it(`${guide} has commands`, () => assert.ok(fences(guide).length >= 2));
    for (const commands of fences(guide))
      it(commands.trim(), async () => {
        await clone.run(placed(commands));
        // If the commands restart the containers, a reader of the guide continues when the containers are ready.
        if (/docker compose up/.test(commands)) await clone.run(placed(READY));
      });
  }

  /** A command that waits until all replicas are healthy. */
  const READY = `cd deploy
for replica in apiserver1 apiserver2 apiserver3; do
  until docker inspect --format '{{.State.Health.Status}}' $(docker compose ps -q $replica) | grep -qx healthy; do sleep 1; done
done`;
});

/** Writes a program `docker` that runs `docker compose` with docker-compose 1.29, which the guide also allows. */
function standIn(bin: string): void {
  const docker = findTool('docker');
  const file = path.join(bin, 'docker');
  writeFileSync(
    file,
    `#!/bin/sh\nif [ "$1" = compose ]; then shift; exec docker-compose "$@"; fi\nexec ${docker} "$@"\n`,
  );
  chmodSync(file, 0o755);
}
