import { spawn } from 'node:child_process';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Io } from '../../framework/io.ts';

/**
 * Shows the differences between two folders. Uses the program of `ORCHCTL_EXTERNAL_DIFF` or of the field's variable, by
 * default `diff -u -N`. Resolves to whether they differ.
 * @throws CommandError if the program fails
 */
export function runDiff(folders: readonly [string, string], { env, out, err, signal }: Io): Promise<boolean> {
  const given = (namingProfiles.map((profile) => env[createNaming(profile).diffVariable]).find(Boolean) ?? '')
    .split(/\s+/)
    .filter((word) => word !== '');
  const [program = 'diff', ...words] = given.length > 0 ? given : ['diff', '-u', '-N'];
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...words, ...folders], { env, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.setEncoding('utf8').on('data', (text: string) => out.write(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => err.write(text));
    const failed = (why: string) => reject(new CommandError(`failed to run ${JSON.stringify(program)}: ${why}`));
    child.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      failed(code === 'ENOENT' && !program.includes('/') ? 'executable file not found in $PATH' : message),
    );
    child.once('close', (code) => {
      if (code === 0 || code === 1) resolve(code === 1);
      else failed(`exit status ${code}`);
    });
  });
}
