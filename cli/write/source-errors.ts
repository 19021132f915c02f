import { ApiError } from '../../client/errors.ts';

/** A server's refusal with what was being done, and with which file; other errors as they are. */
export function about(error: unknown, doing: string, source: string | undefined): unknown {
  if (!(error instanceof ApiError) || source === undefined) return error;
  const message = `error when ${doing} ${JSON.stringify(source)}: ${error.status.message ?? ''}`;
  return new ApiError(error.code, { ...error.status, message });
}
