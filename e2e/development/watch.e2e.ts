import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyOfProject } from '#scripts/copy-of-project.ts';
import { findEtcd } from '#scripts/find-etcd.ts';
import { freePort } from '#scripts/processes.ts';

describe('make watch', function () {
  this.timeout(240_000);
  let folder: string;
  let watching: ChildProcess;
  let output = '';

  const until = async (what: RegExp, from = 0): Promise<void> => {
    const end = Date.now() + 60_000;
    while (!what.test(output.slice(from))) {
      assert.ok(watching.exitCode === null && Date.now() < end, `${what} was not printed:\n${output}`);
      await sleep(50);
    }
  };
  const change = async (file: string, act: (file: string) => void, ...expected: RegExp[]): Promise<void> => {
    const from = output.length;
    act(path.join(folder, file));
    for (const what of expected) await until(what, from);
  };

  before(async () => {
    folder = copyOfProject();
    watching = spawn(process.execPath, ['scripts/watch.ts'], {
      cwd: folder,
      env: { ...process.env, ETCD: findEtcd(), PORTS: String(await freePort(27_000)) },
    });
    for (const stream of [watching.stdout!, watching.stderr!])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    await until(/Watching/);
  });

  after(() => {
    watching?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it('builds, restarts and tests what has changed', async () => {
    const comment = (file: string): void => appendFileSync(file, '\nglobalThis.performance.mark("changed");\n');
    await change(
      'base/time/longest-timer.ts',
      comment,
      /Built in/,
      /Replicas started again/,
      /manager started again/,
      /\d+ passing/,
    );
  });

  it('restarts only programs that contain the change', async () => {
    const from = output.length;
    const same = (file: string): void => writeFileSync(file, `${readFileSync(file, 'utf8')}\n`);
    await change('cli/commands/index.ts', same, /Built in/);
    await change('base/json/parse.test.ts', same, /\d+ passing/);
    assert.doesNotMatch(output.slice(from), /started again/);
  });

  it('continues after a syntax error', async () => {
    const file = 'base/time/longest-timer.ts';
    const text = readFileSync(path.join(folder, file), 'utf8');
    await change(file, (name) => writeFileSync(name, `${text}\nconst = ;\n`), /Not taken in/);
    await change(file, (name) => writeFileSync(name, text), /Replicas started again/);
  });

  it('leaves no processes', async () => {
    watching.kill('SIGINT');
    await once(watching, 'close');
    const left = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    assert.deepEqual(
      left.split('\n').filter((line) => line.includes(folder)),
      [],
    );
  });
});
