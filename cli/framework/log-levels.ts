import { fileLevels } from './file-levels.ts';
import type { Flags } from './flag.ts';

/**
 * The log level of a source file: the greater of `-v` and the level of the first pattern in `--vmodule` that matches
 * one of its names.
 *
 * @param names names of the file, without `.ts`: its own name, and the name that users of the field's clients know
 * @example logLevel(flags, 'request-log', 'round_trippers')
 */
export function logLevel(flags: Flags, ...names: readonly string[]): number {
  const found = fileLevels(flags.text('vmodule')).find(({ pattern }) => names.some((name) => pattern.test(name)));
  return Math.max(flags.int('v'), found?.level ?? 0);
}
