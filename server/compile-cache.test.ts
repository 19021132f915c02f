import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const module = import.meta.resolve('./compile-cache.ts');

/** The folder of the compiled code for a program with this main module. Empty if there is none. */
function folderOf(main: string): string {
  const program = `
    import { getCompileCacheDir } from 'node:module';
    const { useCompileCache } = await import('${module}');
    useCompileCache(${JSON.stringify(main)});
    process.stdout.write(getCompileCacheDir() ?? '');
  `;
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], { env, encoding: 'utf8' });
}

describe('the cache of compiled code', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'compile-cache-'));
    mkdirSync(path.join(directory, 'dist/server'), { recursive: true });
  });

  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it('is in the folder of the build', () => {
    const folder = folderOf(path.join(directory, 'dist/server/main.js'));
    assert.ok(folder.startsWith(path.join(directory, 'dist/.compile-cache/')), folder);
  });

  it('does not exist for a program that runs from its sources', () => {
    assert.equal(folderOf(path.join(directory, 'server/main.ts')), '');
  });

  it('does not exist if its folder cannot be created', () => {
    writeFileSync(path.join(directory, 'dist/.compile-cache'), '');
    assert.equal(folderOf(path.join(directory, 'dist/server/main.js')), '');
  });
});
