import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The test files for changed files: a changed test itself, the test beside a changed file, and the tests in its folder
 * that import it. Paths are relative to `root`; deleted files count too.
 */
export function changedTests(root: string, changed: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const file of changed) {
    if (file.endsWith('.test.ts')) {
      if (existsSync(path.join(root, file))) found.add(file);
      continue;
    }
    for (const test of testsOf(root, path.dirname(file)))
      if (test === file.replace(/\.ts$/, '.test.ts') || imports(root, test, path.basename(file))) found.add(test);
  }
  return [...found].sort();
}

function testsOf(root: string, folder: string): string[] {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => path.join(folder, name));
}

function imports(root: string, test: string, name: string): boolean {
  return readFileSync(path.join(root, test), 'utf8').includes(`from './${name}'`);
}
