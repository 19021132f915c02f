import { type Entry, since } from '#base/release/in-force.ts';
import { comprehensions } from './comprehensions.ts';
import type { Macro } from './macro.ts';
import { optionalMacros } from './optional-macros.ts';
import { sortBy } from './sort-by.ts';

/** All macros, with the first releases that have them. */
export const macros: readonly Entry<readonly Macro[]>[] = [
  ...comprehensions,
  since('1.28', optionalMacros),
  since('1.34', [sortBy]),
];
