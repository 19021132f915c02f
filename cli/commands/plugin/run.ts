import { spawn } from 'node:child_process';
import type { Io } from '../../framework/io.ts';
import { findPlugin } from './find.ts';

/**
 * Runs the plug-in that the words name and resolves to its exit code. Resolves to undefined if there is no such
 * plug-in.
 */
export async function runPlugin(words: readonly string[], io: Io): Promise<number | undefined> {
  const found = findPlugin(words, io.env['PATH'] ?? '');
  if (found === undefined) return undefined;
  const child = spawn(found.file, found.args, { stdio: 'inherit', env: io.env });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? (signal === null ? 1 : 130)));
  });
}
