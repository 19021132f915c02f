import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes a folder contain exactly these files. An unchanged file is not written again, so it does not look newer than
 * the files that are built from it.
 *
 * @example writeFolder('schema/generated', [['meta.v1.ts', text]])
 */
export function writeFolder(folder: string, files: readonly (readonly [name: string, text: string])[]): void {
  mkdirSync(folder, { recursive: true });
  const there = readdirSync(folder);
  for (const name of there.filter((other) => !files.some(([own]) => own === other)))
    rmSync(join(folder, name), { recursive: true });
  for (const [name, text] of files) {
    const file = join(folder, name);
    if (!there.includes(name) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
  }
}
