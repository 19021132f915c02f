import { RE2JS } from 're2js';
import { CommandError } from '../../framework/errors.ts';
import type { Flags } from '../../framework/flag.ts';

/** A request in the form that the filter checks, with the host without its port, and the decoded path. */
export interface Judged {
  readonly method: string;
  readonly host: string;
  readonly path: string;
}

/** Returns whether a request is passed on. */
export type Filter = (request: Judged) => boolean;

/**
 * The filter that `--accept-hosts --accept-paths --reject-paths --reject-methods` describe, unless `--disable-filter`
 * is set. The filter checks the host, because a foreign web page could otherwise use a DNS name of its own to reach the
 * server through this proxy.
 * @throws CommandError if a text is not a pattern
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
