import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { findTool, installPackage } from '../../scripts/ensure-tool.ts';

describe('deploy/prometheus/alerts.yml', function () {
  this.timeout(360_000);

  it('alerts as alerts.test.yml says', function () {
    const promtool = findTool('promtool') ?? (installPackage('prometheus') ? findTool('promtool') : undefined);
    // it comes with Prometheus, which not every machine has or can install
    if (promtool === undefined) return this.skip();
    const cwd = path.resolve(import.meta.dirname, '../../deploy/prometheus');
    const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', 'alerts.test.yml'], { cwd });
    assert.equal(status, 0, `${stdout}${stderr}`);
  });
});
