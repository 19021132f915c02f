import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findTool, installPackage } from '#scripts/ensure-tool.ts';

const root = path.resolve(import.meta.dirname, '../..');

describe('deploy/prometheus', function () {
  this.timeout(360_000);
  let promtool: string;

  before(function () {
    const found = findTool('promtool') ?? (installPackage('prometheus') ? findTool('promtool') : undefined);
    // The tool is a part of Prometheus, which some machines do not have and cannot install.
    if (found === undefined) return this.skip();
    promtool = found;
  });

  function check(cwd: string, ...args: string[]): void {
    const { status, stdout, stderr } = spawnSync(promtool, args, { cwd, encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}${stderr}`);
  }

  it('raises the alerts of alerts.test.yml', () => {
    check(path.join(root, 'deploy/prometheus'), 'test', 'rules', 'alerts.test.yml');
  });

  it('is a valid configuration of Prometheus with the certificates of a deployment', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'prometheus-'));
    try {
      const certificates = path.join(root, 'scripts/make-certificates.ts');
      execFileSync(process.execPath, [certificates, `--folder=${folder}`], { stdio: 'ignore' });
      cpSync(path.join(root, 'deploy/prometheus'), path.join(folder, 'prometheus'), { recursive: true });
      check(path.join(folder, 'prometheus'), 'check', 'config', 'prometheus.yml');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
