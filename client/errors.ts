import type { Status } from '#schema/generated/meta.v1.ts';

/** A Status in the form that servers send. Any field may be missing, because a proxy may have sent the answer. */
export type StatusBody = Partial<Status>;

/**
 * The error about an answer that is not a success. `code` is the HTTP status, and `reason` the word in the Status
 * (`NotFound`, `Conflict`).
 */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly status: StatusBody;
  /** The number of seconds after which another attempt makes sense. */
  readonly retryAfter: number | undefined;
  /** The headers of the answer, unchanged; they include warnings. */
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

/**
 * The error about a missing answer. `sent` says whether the server may have received the request. If so, the server may
 * have done the write.
 */
export class ConnectionError extends Error {
  readonly sent: boolean;

  constructor(message: string, sent: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConnectionError';
    this.sent = sent;
  }
}

/** The error about a request that took longer than its time limit. */
export class DeadlineError extends ConnectionError {
  override readonly name = 'DeadlineError';
}

/** The error about a request that the client did not send because its guard forbade it (see `Client.guarded`). */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

const has = (code: number, reason?: string) => (error: unknown) =>
  error instanceof ApiError && error.code === code && (reason === undefined || error.reason === reason);

/** The object, or its type, does not exist. */
export const isNotFound = has(404);
/** Another object already has this name. */
export const isAlreadyExists = has(409, 'AlreadyExists');
/** Another client changed the object, or replaced it by another object with the same name. */
export const isConflict = has(409, 'Conflict');
/** The user does not have the right to do this. */
export const isForbidden = has(403);
/** The object breaks a rule. */
export const isInvalid = has(422);
/** The requested version or page is no longer kept. */
export const isGone = has(410);

/** The namespace is being deleted, so the server creates nothing in it. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!isForbidden(error)) return false;
  const causes = (error as ApiError).status.details?.causes ?? [];
  return causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

/** Whether an error is only the result of an aborted signal. */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
