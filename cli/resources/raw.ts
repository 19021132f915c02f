import type { Invocation } from '../command-line/command.ts';
import { CommandError } from '../framework/errors.ts';
import { pathAndQuery, urlMistake } from '../framework/url-mistake.ts';
import { readRaw } from '../manifests/files.ts';

/**
 * The path that `--raw` requests. In a whole address, only the path and the query count.
 * @throws CommandError if the address is malformed
 */
export function rawPath(raw: string): string {
  const mistake = urlMistake(raw);
  if (mistake === undefined) return pathAndQuery(raw);
  throw new CommandError(`--raw must be a valid URL path: parse ${JSON.stringify(raw)}: ${mistake}`);
}

/**
 * Sends a file (nothing for DELETE) to the path of `--raw`, and shows the answer unchanged.
 * @throws CommandError if the file is not readable
 */
export async function sendRaw(
  { flags, session, io }: Invocation,
  method: 'POST' | 'PUT' | 'DELETE',
): Promise<undefined> {
  const path = rawPath(flags.text('raw'));
  const body = method === 'DELETE' ? undefined : await readRaw(flags.list('filename'), io);
  const caller = await session.caller();
  const headers = {
    accept: 'application/json, */*',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const answer = await caller.call({ method, path, headers, ...(body === undefined ? {} : { body }) });
  io.out.write(answer.text);
  return undefined;
}
