import type { Status } from '#base/errors/status-error.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import type { UserInfo } from './user-info.ts';

/** The record of one request for the audit log; see `filters/audit.ts`. */
export interface AuditRecord {
  /** Records the start of the request. False if it could not be recorded. The request must then not continue. */
  received(): boolean | Promise<boolean>;
  /** Records the impersonated user, whether or not the caller may impersonate. */
  impersonate(user: UserInfo): void;
  /**
   * Records the content of the body: an object, options or a patch. It copies what it needs at once, because the value
   * may change later.
   */
  request(body: JsonValue): void;
  /** Whether `response` needs the body of the answer. */
  readonly keepsResponse: boolean;
  /** The body of the answer as JSON. */
  response(json: string): void;
  /** Records that the body of the answer is left out. The event says so. */
  responseTooLarge(): void;
  /** Records that the answer is a Status. */
  status(status: Partial<Status>): void;
  /** Records that the request ended in an unexpected error. */
  panicked(): void;
  /** Called just before the head of the answer is sent. */
  answering(code: number): void | Promise<void>;
  /** Called when nothing more will be sent. */
  completed(): void | Promise<void>;
}
