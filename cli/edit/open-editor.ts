import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CommandError } from '../frame/errors.ts';
import type { Io } from '../frame/io.ts';

/** More than an object may have. */
const LARGEST = 64 << 20;

/** A text that people change in their editor: its file stays until it is let go. */
export interface EditedFile {
  readonly file: string;
  /** Shows a text in the editor, and resolves with what it is when the editor ends. @throws CommandError */
  edit(text: string): Promise<string>;
  remove(): void;
}

export function editedFile(extension: string, io: Io): EditedFile {
  const folder = mkdtempSync(path.join(tmpdir(), 'orchctl-edit-'));
  const file = path.join(folder, `object${extension}`);
  return {
    file,
    async edit(text) {
      writeFileSync(file, text, { mode: 0o600 });
      await openEditor(file, io);
      if (statSync(file).size > LARGEST) throw new CommandError(`${file} is too large for an object`);
      return readFileSync(file, 'utf8');
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The program of `ORCH_EDITOR` or `EDITOR`, else vi; the shell takes its words apart. */
function openEditor(file: string, { env, signal }: Io): Promise<void> {
  const editor = env['ORCH_EDITOR'] || env['EDITOR'] || 'vi';
  const failed = (why: string) =>
    new CommandError(`there was a problem with the editor ${JSON.stringify(editor)}${why}`);
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env, signal });
    child.once('error', ({ message }) => reject(failed(`: ${message}`)));
    child.once('close', (code) => (code === 0 ? resolve() : reject(failed(''))));
  });
}
