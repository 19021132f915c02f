import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { PROGRAM } from '../../command-line/help.ts';

/** A program that users can call as a command. */
interface Plugin {
  readonly file: string;
  readonly name: string;
  /** The reason why it never runs. */
  readonly warning: string | undefined;
}

/** The plug-ins in the folders of a PATH, and warnings about folders that are not readable. */
export function pluginsOn(
  paths: string,
  isCommand: (name: string) => boolean,
): { plugins: readonly Plugin[]; unreadable: readonly string[] } {
  const plugins: Plugin[] = [];
  const unreadable: string[] = [];
  const seen = new Map<string, string>();
  for (const folder of new Set(paths.split(path.delimiter).filter((each) => each.trim() !== ''))) {
    let names: string[];
    try {
      names = readdirSync(folder).sort();
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      const why = missing ? `open ${folder}: no such file or directory` : (error as Error).message;
      unreadable.push(`Unable to read directory ${JSON.stringify(folder)} from your PATH: ${why}. Skipping...`);
      continue;
    }
    for (const name of names.filter((each) => each.startsWith(`${PROGRAM}-`))) {
      const file = path.join(folder, name);
      if (statSync(file, { throwIfNoEntry: false })?.isDirectory() !== false) continue;
      plugins.push({ file, name, warning: warningOf(file, name, seen, isCommand) });
      if (!seen.has(name)) seen.set(name, file);
    }
  }
  return { plugins, unreadable };
}

function warningOf(
  file: string,
  name: string,
  seen: ReadonlyMap<string, string>,
  isCommand: (name: string) => boolean,
): string | undefined {
  const [, first = ''] = name.split('-');
  if (isCommand(first)) return `${name} overwrites existing command: "${PROGRAM} ${first}"`;
  if (!mayRun(file)) return `${file} identified as a ${PROGRAM} plugin, but it is not executable`;
  const before = seen.get(name);
  return before === undefined ? undefined : `${file} is overshadowed by a similarly named plugin: ${before}`;
}

function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The plug-in that words name. For `foo bar` it is `orchctl-foo-bar`, else `orchctl-foo`. Only words before the first
 * flag count.
 */
export function findPlugin(
  words: readonly string[],
  paths: string,
): { file: string; args: readonly string[] } | undefined {
  const flag = words.findIndex((word) => word.startsWith('-'));
  const named = flag < 0 ? words : words.slice(0, flag);
  const folders = paths.split(path.delimiter).filter((folder) => folder !== '');
  for (let many = named.length; many > 0; many--) {
    const name = [PROGRAM, ...named.slice(0, many).map((word) => word.replaceAll('-', '_'))].join('-');
    if (name.includes('/')) continue;
    for (const folder of folders) {
      const file = path.join(folder, name);
      if (statSync(file, { throwIfNoEntry: false })?.isFile() && mayRun(file)) return { file, args: words.slice(many) };
    }
  }
  return undefined;
}
