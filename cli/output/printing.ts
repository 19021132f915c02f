import type { DiscoveredType } from '../../client/discovery/discovered.ts';
import type { ApiObject } from '../../server/schema/api-object.ts';

/** Writes objects in one form. */
export interface Printer {
  /** The text of one object (or list). A printer may be asked for several, one after the other. */
  print(object: ApiObject, type?: DiscoveredType): string;
  /** It names each object of a list by itself. */
  readonly perObject?: true;
}
