import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Io } from '../../framework/io.ts';

/** The size of the largest text that is accepted, in bytes. No object is so large. */
const LARGEST = 64 << 20;

/** A text that the user edits in an editor. Its file exists until `remove` is called. */
export interface EditedFile {
  readonly file: string;
  /**
   * Shows a text in the editor, and resolves to the text when the editor ends.
   * @throws CommandError if the editor fails
   */
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

/**
 * Starts the editor. Its name is in `ORCH_EDITOR`, in the variable of the field's client, or in `EDITOR`, and by
 * default it is vi. If the name contains quotes, a shell splits it into words.
 */
function openEditor(file: string, { env, signal }: Io): Promise<void> {
  const own = namingProfiles.map((profile) => env[createNaming(profile).editorVariable]).find(Boolean);
  const editor = own || env['EDITOR'] || 'vi';
  const [program, ...words] = /["'\\]/.test(editor)
    ? ['/bin/sh', '-c', `${editor} "$1"`, 'sh', file]
    : [...editor.split(' ').filter((word) => word !== ''), file];
  return new Promise((resolve, reject) => {
    const child = spawn(program!, words, { stdio: 'inherit', env, signal });
    const failed = () => reject(new CommandError(`there was a problem with the editor ${JSON.stringify(editor)}`));
    child.once('error', ({ code }: NodeJS.ErrnoException) =>
      code === 'ENOENT' && !program!.includes('/')
        ? reject(new CommandError(`unable to launch the editor ${JSON.stringify(editor)}`))
        : failed(),
    );
    child.once('close', (code) => (code === 0 ? resolve() : failed()));
  });
}
