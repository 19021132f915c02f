import type { Status } from '#schema/generated/meta.v1.ts';

/** A Status as servers answer with; every field may be missing where something else than the API answered. */
export type StatusBody = Partial<Status>;

/** An answer that is not a success. `code` is the HTTP status, `reason` the word in the Status (`NotFound`, `Conflict`). */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly status: StatusBody;
  /** Seconds after which the server wants to be asked again. */
  readonly retryAfter: number | undefined;
  /** Of the answer, as they came; warnings are among them. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;

  constructor(code: number, status: StatusBody, retryAfter?: number, headers: ApiError['headers'] = {}) {
    super(status.message || `the server answered ${code}`);
    this.name = 'ApiError';
    this.code = code;
    this.reason = status.reason ?? '';
    this.status = status;
    this.retryAfter = retryAfter;
    this.headers = headers;
  }
}

/** No answer came. `sent` says whether the request may have reached the server, so that a write may have been done. */
export class ConnectionError extends Error {
  readonly sent: boolean;

  constructor(message: string, sent: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConnectionError';
    this.sent = sent;
  }
}

/** A request took longer than it may. */
export class DeadlineError extends ConnectionError {
  override readonly name = 'DeadlineError';
}

/** The request was not sent, since its guard forbade it (see `leader.ts`). */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

const has = (code: number, reason?: string) => (error: unknown) =>
  error instanceof ApiError && error.code === code && (reason === undefined || error.reason === reason);

export const isNotFound = has(404);
export const isAlreadyExists = has(409, 'AlreadyExists');
/** Somebody else changed the object, or it is another one by now. */
export const isConflict = has(409, 'Conflict');
/** @public */
export const isForbidden = has(403);
/** @public */
export const isInvalid = has(422);
/** The version or page asked for is no longer kept. */
export const isGone = has(410);

/** Nothing is made any more in a namespace that is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!isForbidden(error)) return false;
  const causes = (error as ApiError).status.details?.causes ?? [];
  return causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

/** Whether an error only says that somebody asked to stop. */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
