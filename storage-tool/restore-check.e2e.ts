import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureTool } from '#scripts/ensure-tool.ts';
import { findEtcd } from '#scripts/find-etcd.ts';
import { programToTest } from '#scripts/programs.ts';
import { storageTests } from './testing/storage-tests.ts';
import type { Finding } from './verify.ts';

describe('orch-storage restore-check', function () {
  this.timeout(120_000);
  const tests = storageTests();
  const { tool, built, put } = tests;

  describe('with etcd on PATH', () => {
    const found = process.env['PATH'];
    let snapshot: string;
    before(() => {
      const tools = [findEtcd(), ensureTool('etcdctl', 'etcd-client')].map((tool) => path.dirname(tool));
      process.env['PATH'] = [...tools, found].join(path.delimiter);
    });
    beforeEach(async () => {
      snapshot = path.join(tests.folder, 'backup.db');
      process.env['TMPDIR'] = mkdtempSync(path.join(tests.folder, 'tmp-'));
    });
    afterEach(() => {
      const left = readdirSync(process.env['TMPDIR']!);
      delete process.env['TMPDIR'];
      assert.deepEqual(left, []);
    });
    after(() => {
      process.env['PATH'] = found;
    });

    it('restores a snapshot to a temporary folder, verifies it, and starts a replica on it', async () => {
      await tool('backup', snapshot, '--overwrite');
      const { code, text, errors } = await built('restore-check', snapshot);
      assert.equal(code, 0, text + errors);
      assert.match(
        text,
        /^manifest: saved at .*\nrestore: by .*\netcd: .*\nverify: \d+ objects, 0 findings.*\nreplica: ready\n$/,
      );
    });

    it('reports damaged objects, a replica that does not start, and a damaged snapshot', async () => {
      await put('core/configmaps/default/half', () => '{');
      await tool('backup', snapshot, '--overwrite');
      const ends = await built('restore-check', snapshot, '-o', 'json', '--', '--authorization-mode=Nonsense');
      assert.equal(ends.code, 1, ends.errors);
      const { steps, verified } = JSON.parse(ends.text);
      assert.deepEqual(
        steps.map(({ step, fine }: { step: string; fine: boolean }) => `${step} ${fine}`),
        ['manifest true', 'restore true', 'etcd true', 'verify false', 'replica false'],
      );
      assert.match(steps[4].said, /it has ended\n[\s\S]*Nonsense/);
      assert.deepEqual(
        verified.findings.map(({ damage }: Finding) => damage),
        ['not-an-object'],
      );
      const bytes = readFileSync(snapshot);
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(snapshot, bytes);
      const other = await tool('restore-check', snapshot);
      assert.equal(other.code, 1);
      assert.match(other.text, /^manifest: FAILED: the snapshot does not match its manifest/);
      rmSync(`${snapshot}.json`);
      const damaged = await tool('restore-check', snapshot);
      assert.equal(damaged.code, 1);
      assert.match(damaged.text, /^manifest: there is none\nrestore: FAILED: .*sha256/);
    });

    it('leaves no files or processes when it is interrupted', async () => {
      await tool('backup', snapshot, '--overwrite');
      const { main, environment } = programToTest('storage/main');
      const child = spawn(process.execPath, [main, 'restore-check', snapshot], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...environment },
      });
      let errors = '';
      child.stderr.on('data', (some) => (errors += some));
      const exited = once(child, 'exit');
      const giveUpAt = Date.now() + 60_000;
      const scratch = () => readdirSync(process.env['TMPDIR']!)[0];
      const log = () => path.join(process.env['TMPDIR']!, scratch() ?? '', 'etcd.log');
      while (!existsSync(log())) {
        assert.ok(Date.now() < giveUpAt && child.exitCode === null, errors);
        await sleep(10);
      }
      const name = scratch()!;
      child.kill('SIGINT');
      assert.deepEqual(await exited, [2, null]);
      assert.match(errors, /interrupted by SIGINT/);
      const commands = readdirSync('/proc').map((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        } catch {
          return '';
        }
      });
      assert.deepEqual(
        commands.filter((command) => command.includes(name)),
        [],
      );
    });

    it('raise increases the revision of a snapshot and changes nothing else', async () => {
      await tool('backup', snapshot, '--overwrite');
      const { atLeastRevision: before } = JSON.parse(readFileSync(`${snapshot}.json`, 'utf8'));
      const raised = path.join(tests.folder, 'raised.db');
      const wanted = before + 300;
      const { code, text, errors } = await tool('raise', snapshot, String(wanted), raised);
      assert.equal(code, 0, text + errors);
      assert.ok(JSON.parse(readFileSync(`${raised}.json`, 'utf8')).atLeastRevision > wanted);
      const checked = await built('restore-check', raised);
      assert.equal(checked.code, 0, checked.text + checked.errors);
      const own = await tool('verify');
      assert.equal(checked.text.includes(own.text.trim()), true, checked.text + own.text);
      for (const [revision, message] of [
        [before, /is not higher/],
        [before + 1e8, /would take hours/],
        ['x', /needs a snapshot, a revision/],
      ] as const) {
        const refused = await tool('raise', snapshot, String(revision), path.join(tests.folder, 'refused.db'));
        assert.equal(refused.code, 2);
        assert.match(refused.errors, message);
      }
    });

    it('accepts a copied database without a checksum', async () => {
      await tool('backup', snapshot, '--overwrite');
      writeFileSync(snapshot, readFileSync(snapshot).subarray(0, -32));
      rmSync(`${snapshot}.json`);
      const { code, text, errors } = await built('restore-check', snapshot);
      assert.equal(code, 0, text + errors);
      assert.match(text, /^restore: by etcd\w+; it is a copy of a database, without a checksum$/m);
    });

    it('reports a missing snapshot and missing programs', async () => {
      assert.match((await tool('restore-check', snapshot)).errors, /there is no snapshot/);
      writeFileSync(snapshot, '');
      const all = process.env['PATH'];
      try {
        process.env['PATH'] = '';
        const { code, errors } = await tool('restore-check', snapshot);
        assert.equal(code, 2);
        assert.match(errors, /needs etcd on PATH/);
      } finally {
        process.env['PATH'] = all;
      }
    });
  });
});
