import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { publint } from 'publint';
import { createNaming } from '#base/naming/create-naming.ts';
import { stageTestCluster } from '#scripts/pack-test-cluster.ts';
import { ForeignProject } from '../client-package/foreign-project.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** A folder whose `node_modules` contains vitest, which is not a package of this project. */
const VITEST = process.env['VITEST'];

const DEFINITION = JSON.stringify({
  apiVersion: createNaming('kubernetes').apiVersion('apiextensions', 'v1'),
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gizmos.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gizmos', singular: 'gizmo', kind: 'Gizmo', listKind: 'GizmoList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

describe('the packed test-cluster package', function () {
  this.timeout(240_000);
  let project: ForeignProject;
  let temporary: string;

  before(async () => {
    project = await ForeignProject.create(stageTestCluster);
    temporary = mkdtempSync(path.join(tmpdir(), 'packed-test-'));
    project.write('definitions/gizmos.json', DEFINITION);
    const page = readFileSync(path.join(root, 'test-cluster/README.md'), 'utf8');
    const examples = [...page.matchAll(/^## With (\S+)\n\n```ts\n(.*?)^```/gms)];
    assert.deepEqual(
      examples.map(([, runner]) => runner),
      ['mocha', 'node:test', 'vitest'],
    );
    for (const [, runner = '', program = ''] of examples) project.write(`${runner.replace(':', '-')}.test.ts`, program);
    project.copy('e2e/test-cluster/programs/suite.ts', 'suite.test.ts');
  });

  after(() => {
    project?.remove();
    if (temporary !== undefined) rmSync(temporary, { recursive: true });
  });

  /** Runs a program, which must leave nothing behind. */
  async function run(...args: readonly string[]): Promise<{ status: number | null; output: string }> {
    const ran = await project.run('/usr/bin/env', [`TMPDIR=${temporary}`, process.execPath, ...args]);
    assert.deepEqual(readdirSync(temporary), []);
    return ran;
  }

  it('passes publint, and its types match those of the client', async () => {
    const pkgDir = path.join(project.folder, 'node_modules/@orch/test-cluster');
    const { messages } = await publint({ pkgDir, pack: false, strict: true });
    assert.deepEqual(messages, []);
    const { status, output } = await project.compile('suite.test.ts', 'node-test.test.ts');
    assert.equal(status, 0, output);
  });

  it('has all its functions and faults', async () => {
    const { status, output } = await run('--test', '--test-reporter=tap', 'suite.test.ts');
    assert.equal(status, 0, output);
    assert.match(output, /^# fail 0$/m);
    console.log(/resets: .*/.exec(output)?.[0]);
  });

  it('works with node:test', async () => {
    const { status, output } = await run('--test', '--test-reporter=tap', 'node-test.test.ts');
    assert.equal(status, 0, output);
    assert.match(output, /^# pass 1$/m);
  });

  it('works with mocha', async () => {
    const mocha = path.join(root, 'node_modules/mocha/bin/mocha.js');
    const { status, output } = await run(mocha, '--no-config', '--timeout=30000', 'mocha.test.ts');
    assert.equal(status, 0, output);
    assert.match(output, /1 passing/);
  });

  it('works with vitest, if it is installed', async function () {
    if (VITEST === undefined) this.skip();
    const installed = path.join(VITEST, 'node_modules/vitest');
    assert.ok(existsSync(installed), `${installed} is not there`);
    symlinkSync(installed, path.join(project.folder, 'node_modules/vitest'));
    const { status, output } = await run(path.join(installed, 'vitest.mjs'), 'run', 'vitest.test.ts');
    assert.equal(status, 0, output);
    assert.match(output, /1 passed/);
  });
});
