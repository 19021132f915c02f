import type { Session } from '../connection/session.ts';
import type { Found } from '../resources/found.ts';

/** What a description may need besides the object. */
export interface DescribeContext {
  readonly session: Session;
  readonly showEvents: boolean;
}

/** The description of an object, of lines that each end. */
export type Describer = (found: Found, context: DescribeContext) => Promise<string>;
