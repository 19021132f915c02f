import type { DiscoveredType } from '#client/discovery/discovered.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';

/** Writes objects in one form. */
export interface Printer {
  /** The text of one object or list. A printer may print several, one after the other. */
  print(object: ApiObject, type?: DiscoveredType): string;
  /**
   * Writes a list item by item, so that the whole list is never in memory. If this is absent, lists are printed as
   * objects.
   */
  readonly list?: ListForm;
  /** Whether it prints a line for each object of a list. */
  readonly perObject?: true;
}

/** The texts before, between and after the items of a list. */
export interface ListForm {
  readonly empty: string;
  readonly begin: string;
  item(object: ApiObject): string;
  readonly between: string;
  readonly end: string;
}
