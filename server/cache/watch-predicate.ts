import { type IndexKey, indexedValue } from './index-key.ts';
import type { ItemChange } from './item.ts';
import { inScope, type Scope } from './key-order.ts';

/**
 * The changes that a subscriber wants: changes of keys in scope. With an index key, it wants only changes of objects
 * that have the key before or after the change.
 */
export interface WatchPredicate {
  readonly scope: Scope;
  readonly indexKey?: IndexKey | undefined;
}

/** Whether a subscriber wants every change of the resource. */
export function matchesEverything({ scope, indexKey }: WatchPredicate): boolean {
  return scope === '' && indexKey === undefined;
}

/** Whether a subscriber wants a change. */
export function matchesChange({ scope, indexKey }: WatchPredicate, { item, previous }: ItemChange): boolean {
  if (!inScope(scope, (item ?? previous)!.key)) return false;
  if (indexKey === undefined) return true;
  const holds = (one: typeof item): boolean => one !== undefined && indexedValue(one, indexKey) === indexKey.value;
  return holds(item) || holds(previous);
}
