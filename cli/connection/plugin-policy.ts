import { statSync } from 'node:fs';
import path from 'node:path';
import { CommandError } from '../framework/errors.ts';
import type { PluginPolicy } from '../preferences/preferences.ts';

/**
 * Checks that a program may be run to get credentials.
 * @param searched the folders in which to search for programs without a path, in the form of `PATH`
 * @throws CommandError if the policy does not allow it
 */
export function checkPlugin(command: string, { policy, allowed = [] }: PluginPolicy, searched: string): void {
  if (policy === 'DenyAll') refuse(`plugin ${JSON.stringify(command)} not allowed: policy set to "DenyAll"`);
  if (policy !== 'Allowlist' || allowed.includes(command)) return;
  const program = resolved(command, searched);
  if (program === undefined) {
    refuse(
      `plugin path ${JSON.stringify(command)} cannot be resolved for credential plugin allowlist check: exec: ${JSON.stringify(command)}: executable file not found in $PATH`,
    );
  }
  if (allowed.some((entry) => entry === program || resolved(entry, searched) === program)) return;
  refuse(`plugin path ${JSON.stringify(program)} is not permitted by the credential plugin allowlist`);
}

function refuse(why: string): never {
  throw new CommandError(`Unable to connect to the server: getting credentials: ${why}`, { plain: true });
}

function resolved(command: string, searched: string): string | undefined {
  if (command.includes('/')) return isProgram(command) ? path.normalize(command) : undefined;
  const places = searched.split(path.delimiter).map((folder) => path.join(folder || '.', command));
  return places.find(isProgram);
}

function isProgram(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && (found.mode & 0o111) !== 0;
}
