import type { AuditRecord } from './audit-record.ts';
import type { RequestContext } from './request-context.ts';
/** Decides which requests are recorded. */
export interface Auditor {
  /** The record of a request with a known user; undefined if the policy records nothing. */
  begin(context: RequestContext): AuditRecord | undefined;
  /** The record of a request that was refused before its user was known. */
  beginRefused(context: RequestContext): AuditRecord | undefined;
  /** Called if a request is not served because it could not be recorded. */
  rejected(): void;
}
