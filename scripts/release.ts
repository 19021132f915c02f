import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { billOfMaterials } from './bill-of-materials.ts';
import { bundle } from './bundle.ts';
import { findTool } from './ensure-tool.ts';
import { buildApiServerImage, buildDevImage } from './image.ts';
import { stageClient } from './pack-client.ts';
import { stageCommandLine } from './pack-command-line.ts';
import { stageDev } from './pack-dev.ts';
import { stageTestCluster } from './pack-test-cluster.ts';

// `make release VERSION=1.2.3` creates all published files of a version in dist/release: the container image, the npm
// packages, the bill of materials, and checksums of all of them.

const root = path.resolve(import.meta.dirname, '..');
const folder = path.join(root, 'dist/release');

/**
 * The reason why a version cannot be released from `root`; undefined if it can. A release is made of a published
 * commit, and its version is named by CHANGELOG.md and by package.json, from which programs read theirs.
 */
function obstacle(version: string): string | undefined {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return 'VERSION is three numbers: make release VERSION=1.2.3';
  const changed = git('status', '--porcelain');
  if (changed !== '') return `Commit or remove what has changed first:\n${changed}`;
  const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
  if (!changelog.split('\n').some((line) => line.startsWith(`## ${version} `) || line === `## ${version}`))
    return `CHANGELOG.md has no heading "## ${version}": move what is unreleased below one.`;
  if (ownPackage().version !== version)
    return `package.json names ${ownPackage().version}: run npm version --no-git-tag-version ${version}`;
  return undefined;
}

function ownPackage(): { readonly name: string; readonly version: string } {
  return JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

async function makePackages(): Promise<void> {
  const staged = path.join(root, '.run/release');
  for (const [name, stage] of [
    ['client', stageClient],
    ['test-cluster', stageTestCluster],
    ['orch-dev', stageDev],
    ['orchctl', stageCommandLine],
  ] as const) {
    await stage(root, path.join(staged, name));
    const args = ['pack', '--silent', '--pack-destination', folder];
    execFileSync('npm', args, { cwd: path.join(staged, name), stdio: ['ignore', 'ignore', 'inherit'] });
  }
}

/** Builds the images and saves each as a file. Without Docker it prints this and leaves them out. */
async function makeImages(version: string): Promise<void> {
  const docker = findTool('docker');
  const answers = docker !== undefined && spawnSync(docker, ['version'], { stdio: 'ignore' }).status === 0;
  if (!answers) {
    console.log('No Docker daemon answers: the images are left out.');
    return;
  }
  const base = process.env['BASE_IMAGE'];
  for (const [image, build] of [
    ['orch-apiserver', buildApiServerImage],
    ['orch-dev', buildDevImage],
  ] as const) {
    const name = await build({ name: `${image}:${version}`, ...(base ? { base } : {}) });
    const file = path.join(folder, `${image}-${version}.image.tar`);
    execFileSync(docker, ['save', '--output', file, name]);
    chmodSync(file, 0o644);
  }
}

/** Lines as `sha256sum --check` reads them. */
function checksums(): string {
  const line = (name: string): string =>
    `${createHash('sha256')
      .update(readFileSync(path.join(folder, name)))
      .digest('hex')}  ${name}\n`;
  return readdirSync(folder).sort().map(line).join('');
}

async function release(version: string): Promise<void> {
  const why = obstacle(version);
  if (why !== undefined) throw new Error(why);
  execFileSync('npm', ['run', '--silent', 'generate'], { cwd: root, stdio: 'inherit' });
  await bundle(root);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await makePackages();
  const { name } = ownPackage();
  const bill = billOfMaterials(root, name, git('log', '-1', '--format=%cI'));
  writeFileSync(path.join(folder, `${name}-${version}.cdx.json`), bill);
  await makeImages(version);
  writeFileSync(path.join(folder, 'SHA256SUMS'), checksums());
  console.log(`dist/release:\n${readdirSync(folder).join('\n')}`);
}

try {
  await release(process.argv[2] ?? '');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
