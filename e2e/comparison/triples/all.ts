import { customTriples } from './custom.ts';
import { keyedListTriples } from './keyed-lists.ts';
import { mapTriples } from './maps.ts';
import { nullTriples } from './nulls.ts';
import { plainListTriples } from './plain-lists.ts';
import { repeatedKeyTriples } from './repeated-keys.ts';
import type { Triple } from './triple.ts';
import { unionTriples } from './unions.ts';

/** All triples, by subject. */
export const tripleTables: Readonly<Record<string, readonly Triple[]>> = {
  'fields and maps': mapTriples,
  'lists with keys': keyedListTriples,
  'plain and atomic lists': plainListTriples,
  unions: unionTriples,
  'keys that are repeated': repeatedKeyTriples,
  nulls: nullTriples,
  'custom kinds': customTriples,
};
