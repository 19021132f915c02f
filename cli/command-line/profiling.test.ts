import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FakeServer } from '#client/testing/fake-server.ts';
import { types } from '../testing/flag-lines.ts';
import { runLine } from '../testing/run-line.ts';

describe('--profile', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'profiling-'));
  after(() => rmSync(folder, { recursive: true }));
  const run = (...words: string[]) => runLine(words, { client: new FakeServer(types).client });
  const json = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;

  it('writes a profile of processor time, also for several commands in one process', async () => {
    for (const name of ['1', '2']) {
      const file = path.join(folder, `${name}.cpuprofile`);
      const { code, stderr } = await run('get', 'configmaps', '--profile=cpu', `--profile-output=${file}`);
      assert.deepEqual([code, stderr], [0, 'No resources found in default namespace.\n']);
      const { nodes, endTime } = json(file);
      assert.ok(Array.isArray(nodes) && typeof endTime === 'number');
    }
  });

  it('writes a profile of memory allocations, even if the command fails', async () => {
    const file = path.join(folder, 'a.heapprofile');
    assert.equal((await run('get', 'configmaps', 'nope', '--profile=heap', `--profile-output=${file}`)).code, 1);
    assert.ok('head' in json(file));
  });

  const refused: readonly (readonly [words: readonly string[], text: RegExp])[] = [
    ...['goroutine', 'threadcreate', 'block', 'mutex'].map(
      (name) => [[`--profile=${name}`], new RegExp(`there is no profile '${name}' of this program`)] as const,
    ),
    [['--profile=x'], /unknown profile 'x'/],
    [['--profile=cpu', `--profile-output=${folder}/none/x`], /open \/.*\/none\/x: no such file or directory/],
  ];
  for (const [words, text] of refused)
    it(`refuses ${words.join(' ').replace(folder, '')} before the command starts`, async () => {
      const { code, stdout, stderr } = await run('create', 'configmap', 'x', ...words);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, text);
    });

  it('is a separate flag of the command debug', async () => {
    const { stderr } = await run('debug', 'nope', '--image=i', '--profile=general');
    assert.match(stderr, /"nope" not found/);
  });
});
