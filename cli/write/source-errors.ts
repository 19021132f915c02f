import { ApiError } from '#client/errors.ts';
import { NameError } from '#client/path-segment.ts';
import { CommandError } from '../framework/errors.ts';

/** A refusal after the action and the file. Errors of connections are not changed. */
export function about(error: unknown, doing: string, source: string | undefined): unknown {
  if (source === undefined) return error;
  if (error instanceof NameError)
    return new CommandError(`error when ${doing} ${JSON.stringify(source)}: ${error.message}`);
  if (!(error instanceof ApiError)) return error;
  const message = `error when ${doing} ${JSON.stringify(source)}: ${error.status.message ?? ''}`;
  return new ApiError(error.code, { ...error.status, message });
}
