import type { Item } from '../cache/item.ts';
import type { ServedResource } from './served-resource.ts';

/** Metadata of a collection. */
export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** A collection on its way to a client. */
export interface ListContent {
  readonly served: ServedResource;
  readonly metadata: ListMetadata;
  /** The order is that of the keys, as stored. */
  readonly items: readonly Item[];
}
