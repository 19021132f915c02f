import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { publint } from 'publint';
import { ForeignProject, NODES } from './foreign-project.ts';

const root = path.resolve(import.meta.dirname, '../..');
const MOST_BYTES = 150_000;

describe('the packed client package', function () {
  this.timeout(120_000);
  let project: ForeignProject;
  let installed: string;
  before(async () => {
    project = await ForeignProject.create();
    installed = path.join(project.folder, 'node_modules/@orch/client');
  });
  after(() => project?.remove());

  const filesOf = (pattern: RegExp) =>
    readdirSync(installed, { recursive: true, encoding: 'utf8' })
      .filter((name) => pattern.test(name))
      .map((name) => [name, readFileSync(path.join(installed, name), 'utf8')] as const);

  it(`has at most ${MOST_BYTES} bytes`, () => {
    const { size } = statSync(project.tarball);
    assert.ok(size <= MOST_BYTES, `it has ${size}`);
  });

  it('imports only Node.js modules and its declared dependencies, and uses all of them', () => {
    const imported = new Set(
      filesOf(/\.js$/).flatMap(([, text]) =>
        [...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/gm)].map(
          ([, from, late]) => from ?? late!,
        ),
      ),
    );
    const others = [...imported].filter((name) => !/^(\.|node:)/.test(name) && !builtinModules.includes(name));
    const { dependencies } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
    assert.deepEqual(others.sort(), Object.keys(dependencies).sort());
  });

  it('contains no code of the server', () => {
    const sources = filesOf(/\.js$/).flatMap(([, text]) =>
      [...text.matchAll(/^\/\/ ([\w-]+)\/.*\.ts$/gm)].map(([, folder]) => folder!),
    );
    assert.deepEqual([...new Set(sources)].sort(), ['base', 'client', 'program', 'schema']);
  });

  it('has declarations that import only files of the package', () => {
    const declarations = filesOf(/\.d\.ts$/);
    assert.ok(declarations.length > 50);
    for (const [name, text] of declarations)
      for (const [, specifier = ''] of text.matchAll(/(?:\bfrom |\bimport\()'([^']+)'/g)) {
        if (specifier.startsWith('node:') || specifier === 'undici') continue;
        const target = path.join(installed, path.dirname(name), specifier.replace(/\.js$/, '.d.ts'));
        assert.ok(specifier.startsWith('.') && statSync(target).isFile(), `${name} names ${specifier}`);
      }
  });

  it('passes publint', async () => {
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
    assert.deepEqual(messages, []);
  });

  it('has types that every ES module resolution finds', async () => {
    const program = path.join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    const options = ['--profile', 'esm-only', '--no-definitely-typed', '--no-color'];
    const { status, output } = await project.run(process.execPath, [program, ...options, project.tarball]);
    assert.equal(status, 0, output);
  });

  it('has types for kinds, patches and options, and compiles the programs of both READMEs', async () => {
    project.copy('e2e/client-package/programs/types.ts', 'types.ts');
    for (const [at, page] of ['README.md', 'client/README.md'].entries()) {
      const blocks = [...readFileSync(path.join(root, page), 'utf8').matchAll(/^```ts\n(.*?)^```/gms)];
      const programs = blocks.map(([, source = '']) => source).filter((source) => source.includes("'@orch/client'"));
      assert.equal(programs.length, 1, page);
      project.write(`page-${at}.ts`, programs[0]!);
    }
    const { status, output } = await project.compile('types.ts', 'page-0.ts', 'page-1.ts');
    assert.equal(status, 0, output);
  });

  for (const [version, node] of NODES)
    it(`can be imported by ${version}`, async () => {
      const doors = ['', '/kinds', '/streams', '/testing'].map((door) => `@orch/client${door}`);
      project.write(
        'doors.mjs',
        `for (const door of ${JSON.stringify(doors)}) console.log(Object.keys(await import(door)).length > 1);`,
      );
      const { status, output } = await project.run(node, ['doors.mjs']);
      assert.deepEqual([status, output], [0, 'true\n'.repeat(doors.length)]);
    });
});
