import type { Status } from '#base/errors/status-error.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import type { UserInfo } from './user-info.ts';

/** What the audit log learns about one request on its way; see `filters/audit.ts`. */
export interface AuditRecord {
  /** The request begins. False: it could not be recorded and must not go on. */
  received(): boolean | Promise<boolean>;
  /** As whom the request is to be made, whether or not its caller may. */
  impersonate(user: UserInfo): void;
  /** What the body holds: an object, options or a patch. Says at once what it needs; the value may change later. */
  request(body: JsonValue): void;
  /** Whether `response` wants to know the body of the answer. */
  readonly keepsResponse: boolean;
  /** The body of the answer as JSON. */
  response(json: string): void;
  /** The body of the answer is left out, and the event says so. */
  responseTooLarge(): void;
  /** The answer is a Status. */
  status(status: Partial<Status>): void;
  /** The request ended in an unexpected error. */
  panicked(): void;
  /** The head of the answer goes out now. */
  answering(code: number): void | Promise<void>;
  /** Nothing more will be sent. */
  completed(): void | Promise<void>;
}
