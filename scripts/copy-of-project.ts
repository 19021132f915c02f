import { cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** Folders that a fresh clone does not have, and those that the copy links to. */
const LEFT_OUT = /^(node_modules|\.git|\.run|deploy\/(pki|data|log|\.env|compose\.override\.yaml))$/;

/**
 * Copies this project into a new folder, like a fresh clone, with the built files and this folder's packages. Returns
 * the folder; the caller removes it.
 */
export function copyOfProject(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'clone-'));
  cpSync(root, folder, {
    recursive: true,
    preserveTimestamps: true,
    filter: (source) => !LEFT_OUT.test(path.relative(root, source)),
  });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}
