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
  /** In key order, as stored. */
  readonly items: readonly Item[];
}
