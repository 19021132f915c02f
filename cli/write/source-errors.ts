import { ApiError } from '#client/errors.ts';
import { NameError } from '#client/path-segment.ts';
import { CommandError } from '../framework/errors.ts';

/** A refusal with the action and the file in front; errors of connections stay unchanged. */
export function about(error: unknown, doing: string, source: string | undefined): unknown {
  if (source === undefined) return error;
  if (error instanceof NameError)
    return new CommandError(`error when ${doing} ${JSON.stringify(source)}: ${error.message}`);
  if (!(error instanceof ApiError)) return error;
  const message = `error when ${doing} ${JSON.stringify(source)}: ${error.status.message ?? ''}`;
  return new ApiError(error.code, { ...error.status, message });
}
