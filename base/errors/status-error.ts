import { quoteText } from '../json/quote-text.ts';
import type { FieldError } from './field-error.ts';

/** One cause in `details.causes` of a Status. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** The body of an error answer. `metadata` is always written, empty or with a continue token. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { continue?: string; remainingItemCount?: number; resourceVersion?: string };
  status: 'Failure' | 'Success';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

/** The object of an error: the plural (or kind, for 422) and group as the client names them. */
export interface Subject {
  group: string;
  resource: string;
}

/** An error with the Status that a client gets. Every error during a request becomes one of these. */
export class StatusError extends Error {
  readonly status: Status;
  /** Headers of the answer in addition to the usual ones. */
  readonly headers: Readonly<Record<string, string>>;
  /** The admission plug-in that refused the request. Clients find it in a header of the answer. */
  refusedBy: string | undefined;

  constructor(
    code: number,
    reason: string,
    message: string,
    details?: StatusDetails,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'StatusError';
    this.headers = headers;
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }

  get code(): number {
    return this.status.code ?? 500;
  }

  get reason(): string {
    return this.status.reason ?? '';
  }
}

function about(subject: Subject, name: string, extra: StatusDetails = {}): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(subject.group === '' ? {} : { group: subject.group }),
    ...(subject.resource === '' ? {} : { kind: subject.resource }),
    ...extra,
  };
}

/** The name of a resource in messages: `pods` or `deployments.apps`. */
export function qualified(subject: Subject): string {
  return subject.group === '' ? subject.resource : `${subject.resource}.${subject.group}`;
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function unauthorized(message = 'Unauthorized'): StatusError {
  return new StatusError(401, 'Unauthorized', message);
}

/**
 * `message` is the reason for the refusal, after the standard introduction.
 *
 * @example
 * forbidden({ group: 'apps', resource: 'deployments' }, 'web', 'no role allows it').message
 * // => 'deployments.apps "web" is forbidden: no role allows it'
 */
export function forbidden(subject: Subject, name: string, message: string): StatusError {
  const what = name === '' ? qualified(subject) : `${qualified(subject)} ${quoteText(name)}`;
  return new StatusError(403, 'Forbidden', `${what} is forbidden: ${message}`, about(subject, name));
}

export function notFound(subject: Subject, name: string): StatusError {
  return new StatusError(404, 'NotFound', `${qualified(subject)} ${quoteText(name)} not found`, about(subject, name));
}

/** The error about a path or a verb that does not exist under a served group. */
export function pathNotFound(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function methodNotAllowed(
  message = 'the server does not allow this method on the requested resource',
  details: StatusDetails = {},
): StatusError {
  return new StatusError(405, 'MethodNotAllowed', message, details);
}

/** The error about a verb that this resource does not support. */
export function verbNotSupported({ group, resource }: Subject, verb: string): StatusError {
  const details = { ...(group === '' ? {} : { group }), kind: resource };
  return new StatusError(
    405,
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind "${resource}"`,
    details,
  );
}

export function notAcceptable(message: string): StatusError {
  return new StatusError(406, 'NotAcceptable', message);
}

export function alreadyExists(subject: Subject, name: string): StatusError {
  return new StatusError(
    409,
    'AlreadyExists',
    `${qualified(subject)} ${quoteText(name)} already exists`,
    about(subject, name),
  );
}

/** The error about a generated name that already exists. Another attempt may find a free name. */
export function generatedNameTaken(subject: Subject, name: string): StatusError {
  const message = `${qualified(subject)} ${quoteText(name)} already exists, the server was not able to generate a unique name for the object`;
  return new StatusError(409, 'AlreadyExists', message, { ...about(subject, name), retryAfterSeconds: 1 });
}

/**
 * @example
 * conflict({ group: 'apps', resource: 'deployments' }, 'web', 'it has changed').message
 * // => 'Operation cannot be fulfilled on deployments.apps "web": it has changed'
 */
export function conflict(subject: Subject, name: string, message: string): StatusError {
  return new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(subject)} ${quoteText(name)}: ${message}`,
    about(subject, name),
  );
}

/** The error about a version that the server no longer keeps. */
export function expired(message: string, metadata: Status['metadata'] = {}): StatusError {
  const error = new StatusError(410, 'Expired', message);
  error.status.metadata = metadata;
  return error;
}

export function tooLarge(message: string): StatusError {
  return new StatusError(413, 'RequestEntityTooLarge', message);
}

export function unsupportedMediaType(message: string): StatusError {
  return new StatusError(415, 'UnsupportedMediaType', message);
}

/**
 * The largest number of field errors in a message, for a person to read. A client can cause hundreds of thousands of
 * errors of any length. A rule that could find more errors than the object has fields stops here.
 */
export const MOST_ERRORS = 1000;
/** The largest number of characters of these errors. */
export const LONGEST_ERRORS = 1 << 20;

function firstOf(errors: readonly FieldError[]): readonly FieldError[] {
  let length = 0;
  let count = 0;
  // The message always contains the first error, even if that error is long.
  for (const { text } of errors) {
    length += text.length;
    if (count > 0 && (count >= MOST_ERRORS || length > LONGEST_ERRORS)) break;
    count++;
  }
  return count === errors.length ? errors : errors.slice(0, count);
}

/**
 * An error 422 with one cause for each field error, up to a thousand. `kind` is the object's kind, and `group` is its
 * group.
 *
 * @example invalid({ group: '', kind: 'Pod' }, 'web', []).message // => 'Pod "web" is invalid: []'
 */
export function invalid(
  subject: { group: string; kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const shown = firstOf(errors);
  const texts = [...new Set(shown.map((e) => e.text))];
  if (shown.length < errors.length) texts.push(`and ${errors.length - shown.length} more`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const what = subject.group === '' ? subject.kind : `${subject.kind}.${subject.group}`;
  return new StatusError(
    422,
    'Invalid',
    `${what} ${quoteText(name)} is invalid: ${list ?? '<nil>'}`,
    about({ group: subject.group, resource: subject.kind }, name, {
      causes: shown.map((e) => ({ reason: e.type, message: e.body, field: e.field })),
    }),
  );
}

export function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return new StatusError(429, 'TooManyRequests', message, { retryAfterSeconds });
}

/** Refuses a request whose connection is about to end. With a new connection, the client reaches another server. */
export function leavingServer(): StatusError {
  return tooManyRequests('the server is shutting down, please try again later', 1);
}

export function internalError(message: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

export function serviceUnavailable(message: string, retryAfterSeconds = 1): StatusError {
  return new StatusError(503, 'ServiceUnavailable', message, { retryAfterSeconds });
}

export function timeout(message: string, details: StatusDetails = {}): StatusError {
  return new StatusError(504, 'Timeout', message, details);
}
