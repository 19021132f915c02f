import { closeSync, openSync, writeSync } from 'node:fs';
import { CommandError } from '../framework/errors.ts';
import { fileWords } from '../framework/file-words.ts';
import type { Flags } from '../framework/flag.ts';

/**
 * The values of `--profile`. Each names a profile that the JavaScript engine can record, with the extension of its
 * file.
 */
const PROFILES = new Map([
  ['cpu', 'cpuprofile'],
  ['heap', 'heapprofile'],
] as const);

/** Profiles of another runtime, which this engine cannot record. */
const OF_OTHERS: ReadonlySet<string> = new Set(['goroutine', 'threadcreate', 'block', 'mutex']);

type Profile = typeof PROFILES extends Map<infer Name, string> ? Name : never;

/**
 * Runs a command, records the profile that `--profile` names, and writes it to `--profile-output`, even if the command
 * fails.
 * @throws CommandError before the command starts, if the profile does not exist or its file cannot be written
 */
export async function profiled<T>(flags: Flags, run: () => Promise<T>): Promise<T> {
  const name = flags.text('profile');
  if (name === 'none') return run();
  if (!isProfile(name)) throw new CommandError(mistakeIn(name));
  const file = flags.text('profile-output') || `profile.${PROFILES.get(name)}`;
  const output = opened(file);
  try {
    const { beginProfile } = await import('#program/process/profiles.ts');
    const end = await beginProfile(name);
    try {
      return await run();
    } finally {
      writeSync(output, await end());
    }
  } finally {
    closeSync(output);
  }
}

function isProfile(name: string): name is Profile {
  return PROFILES.has(name as Profile);
}

function mistakeIn(name: string): string {
  return OF_OTHERS.has(name)
    ? `there is no profile '${name}' of this program: it takes 'cpu' and 'heap'`
    : `unknown profile '${name}'`;
}

function opened(file: string): number {
  try {
    return openSync(file, 'w', 0o644);
  } catch (error) {
    throw new CommandError(fileWords(error, file));
  }
}
