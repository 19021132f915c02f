import type { Item } from '../cache/item.ts';
import type { ServedResource } from './served-resource.ts';

/** Metadata of a collection. */
export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** A collection for a client. */
export interface ListContent {
  readonly served: ServedResource;
  readonly metadata: ListMetadata;
  /** The items, in the order of their stored keys. */
  readonly items: readonly Item[];
}
