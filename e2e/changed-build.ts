import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundle } from '#scripts/bundle.ts';
import { packages } from '#scripts/rooms.ts';

/** A change of a file of the sources. */
export interface SourceChange {
  readonly file: string;
  /** The text that the change replaces. It must occur exactly once. */
  readonly from: string;
  readonly to: string;
}

/** A build from changed sources, in a separate folder. */
export interface Build {
  /** The folder `dist/` of the build. */
  readonly dist: string;
  remove(): void;
}

const root = path.resolve(import.meta.dirname, '..');

/**
 * Builds the programs from a changed copy of the sources.
 * @throws Error if the code differs from the text that a change expects. The change must then be adapted to the code
 */
export async function changedBuild(...changes: readonly SourceChange[]): Promise<Build> {
  const directory = mkdtempSync(path.join(tmpdir(), 'changed-build-'));
  for (const sources of ['proto', ...packages.map(({ folder }) => folder)])
    cpSync(path.join(root, sources), path.join(directory, sources), { recursive: true });
  // Node.js resolves names such as `#base/…` from the real folder of package.json.
  cpSync(path.join(root, 'package.json'), path.join(directory, 'package.json'));
  symlinkSync(path.join(root, 'node_modules'), path.join(directory, 'node_modules'));
  for (const { file, from, to } of changes) {
    const target = path.join(directory, file);
    const text = readFileSync(target, 'utf8');
    const found = text.split(from).length - 1;
    if (found !== 1) throw new Error(`${file} holds what is to be changed ${found} times, not once:\n${from}`);
    writeFileSync(
      target,
      text.replace(from, () => to),
    );
  }
  if (changes.some(({ file }) => file.startsWith('proto/')))
    execFileSync(process.execPath, [path.join(directory, 'schema/generate/main.ts')], { stdio: 'inherit' });
  await bundle(directory);
  return { dist: path.join(directory, 'dist'), remove: () => rmSync(directory, { recursive: true }) };
}
