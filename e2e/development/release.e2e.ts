import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { copyOfProject } from '#scripts/copy-of-project.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };

describe('make release', function () {
  this.timeout(240_000);
  let folder: string;

  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  /** Runs the release without a Docker daemon, even if one runs here. */
  const release = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, ['scripts/release.ts', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, DOCKER_HOST: `unix://${folder}/no-docker.sock` },
    });

  before(() => {
    folder = copyOfProject();
    // The project's pattern ignores a folder of packages. Here, the packages are a link, which counts as a file.
    appendFileSync(path.join(folder, '.gitignore'), '\nnode_modules\n');
    git('init', '--quiet');
    git('add', '--all');
    git('commit', '--quiet', '--message=All of it');
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  const refused: readonly [what: string, version: string, why: RegExp][] = [
    ['no version', '', /VERSION is three numbers/],
    ['an invalid version', 'next', /VERSION is three numbers/],
    ['a version that CHANGELOG.md does not name', '99.0.0', /no heading "## 99\.0\.0"/],
  ];
  for (const [what, named, why] of refused)
    it(`refuses ${what}`, () => {
      const { status, stderr } = release(named);
      assert.equal(status, 1);
      assert.match(stderr, why);
    });

  it('refuses uncommitted changes', () => {
    writeFileSync(path.join(folder, 'left-over.txt'), '');
    const { status, stderr } = release(version);
    rmSync(path.join(folder, 'left-over.txt'));
    assert.equal(status, 1);
    assert.match(stderr, /left-over\.txt/);
  });

  it('builds packages, a bill of materials and checksums', () => {
    const { status, stdout, stderr } = release(version);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /the images are left out/);
    const made = path.join(folder, 'dist/release');
    const name = 'orch-control-plane';
    const packed = ['orch-client', 'orch-dev', 'orch-test-cluster', 'orchctl'].map((one) => `${one}-${version}.tgz`);
    const files = [`${name}-${version}.cdx.json`, ...packed, 'SHA256SUMS'];
    assert.deepEqual(readdirSync(made).sort(), files.sort());
    execFileSync('sha256sum', ['--check', '--quiet', '--strict', 'SHA256SUMS'], { cwd: made });
    const bill = JSON.parse(readFileSync(path.join(made, `${name}-${version}.cdx.json`), 'utf8')) as {
      readonly bomFormat: string;
      readonly components: readonly { readonly name: string }[];
    };
    assert.equal(bill.bomFormat, 'CycloneDX');
    const components = new Set(bill.components.map((component) => component.name));
    assert.ok(components.has('express'));
    assert.ok(!components.has('mocha'));
  });

  it('makes a command line package that runs and knows its version', () => {
    const unpacked = path.join(folder, 'unpacked');
    mkdirSync(unpacked);
    execFileSync('tar', ['-xzf', path.join(folder, `dist/release/orchctl-${version}.tgz`), '-C', unpacked]);
    const commit = git('rev-parse', '--short=12', 'HEAD').trim();
    const main = path.join(unpacked, 'package/dist/cli/main.js');
    const printed = execFileSync(process.execPath, [main, '--version'], { encoding: 'utf8' });
    assert.match(printed, new RegExp(`^orchctl ${version}, .* commit ${commit}\n$`));
    // This command reads the descriptions of kinds.
    const manifest = '{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"}}';
    const input = { input: manifest, encoding: 'utf8' } as const;
    assert.match(execFileSync(process.execPath, [main, 'convert', '-f', '-'], input), /minReplicas: 1/);
  });
});
