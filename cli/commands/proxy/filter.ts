import { RE2JS } from 're2js';
import { CommandError } from '../../framework/errors.ts';
import type { Flags } from '../../framework/flag.ts';

/** A request in the form that the filter checks: the host without its port, and the decoded path. */
export interface Judged {
  readonly method: string;
  readonly host: string;
  readonly path: string;
}

/** Whether a request is passed on. */
export type Filter = (request: Judged) => boolean;

/**
 * The filter that `--accept-hosts --accept-paths --reject-paths --reject-methods` describe, unless `--disable-filter`.
 * Hosts are judged so that web pages of others cannot reach the server by a name of theirs that leads here.
 * @throws CommandError for a text that is not a pattern
 */
export function filterOf(flags: Flags): Filter {
  if (flags.bool('disable-filter')) return () => true;
  const patterns = (name: string) => flags.text(name).split(',').map(compiled);
  const [hosts, paths] = [patterns('accept-hosts'), patterns('accept-paths')];
  const [noPaths, noMethods] = [patterns('reject-paths'), patterns('reject-methods')];
  const fits = (list: readonly RE2JS[], text: string) => list.some((pattern) => pattern.matcher(text).find());
  return ({ method, host, path }) =>
    !fits(noPaths, path) && !fits(noMethods, method) && fits(hosts, host) && fits(paths, path);
}

function compiled(text: string): RE2JS {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    throw new CommandError(`Error compiling re: ${(error as Error).message}`);
  }
}

/** A host header without its port. */
export function hostOf(header: string): string {
  return header.replace(/:\d*$/, '');
}
