import { type Fact, statedValue } from './fact.ts';
import type { ItemChange } from './item.ts';
import { inScope, type Scope } from './key-order.ts';

/** The changes that a subscriber wants: those of keys in scope, of which the fact, if there is one, was true or became so. */
export interface Interest {
  readonly scope: Scope;
  readonly fact?: Fact | undefined;
}

/** Whether a subscriber wants every change of the resource. */
export function isEverything({ scope, fact }: Interest): boolean {
  return scope === '' && fact === undefined;
}

/** Whether a change is one of those that are wanted. */
export function concerns({ scope, fact }: Interest, { item, previous }: ItemChange): boolean {
  if (!inScope(scope, (item ?? previous)!.key)) return false;
  if (fact === undefined) return true;
  const holds = (one: typeof item): boolean => one !== undefined && statedValue(one, fact) === fact.value;
  return holds(item) || holds(previous);
}
