import { type CelType, heldBy } from './cel-type.ts';
import type { CelValue } from './cel-value.ts';

/** Estimates end here: beyond 64 bits all are alike. */
export const MOST = 2 ** 64;
/** A walk over texts costs a tenth of their characters. */
export const STRING_FACTOR = 0.1;

/** The fewest and the most elements, characters or bytes that a value may have, as far as that is known. */
export interface Size {
  readonly least: number;
  readonly most: number;
}

/** A type, and the most elements, characters or bytes that the schema lets a value of it have. */
export interface Sized {
  readonly type: CelType;
  readonly size: number;
}

/**
 * The place of a value in the schema, which bounds its size; undefined for values that expressions create. Members of
 * such values count as the root of the schema: clients wrote rules for these estimates.
 */
export type Place = Sized | 'nowhere' | undefined;

/** The known facts about the size of a part of an expression. */
export interface Estimated {
  readonly type: CelType;
  readonly place?: Place;
  /** The size that follows from the expression itself. */
  readonly known?: Size;
  /** The size of items, or of the values of a map, that follows from the expression. */
  readonly items?: Size;
}

/** An argument, as estimates see it; `constant` if it is a literal. */
export interface Operand extends Estimated {
  readonly constant?: { readonly value: CelValue };
}

const UNKNOWN: Size = { least: 0, most: MOST };

/** The size of a value that the expression spells out. */
export function exactly(size: number): Size {
  return { least: size, most: size };
}

/** A sum or product of estimates. */
export function capped(estimate: number): number {
  return Math.min(estimate, MOST);
}

export function sumOf(a: Size, b: Size): Size {
  return { least: capped(a.least + b.least), most: capped(a.most + b.most) };
}

/** The size of either of two values. */
export function eitherSize(a: Size, b: Size): Size {
  return { least: Math.min(a.least, b.least), most: Math.max(a.most, b.most) };
}

/** The highest cost of a walk over a value of this size. */
export function walkOf({ most }: Size, factor = STRING_FACTOR): number {
  return capped(Math.ceil(most * factor));
}

const FIXED = new Set(['bool', 'int', 'uint', 'double', 'timestamp', 'duration']);

/** How large a value may be. */
export function estimatedSize({ type, place, known }: Estimated): Size {
  if (known !== undefined) return known;
  if (typeof place === 'object') return { least: 0, most: place.size };
  return FIXED.has(heldBy(type).kind) ? exactly(1) : UNKNOWN;
}

/** The estimate for the items of a list or the values of a map; undefined for other types. */
export function estimatedItem({ type, place }: Estimated): Estimated | undefined {
  if (type.kind !== 'list' && type.kind !== 'map') return undefined;
  return {
    type: type.kind === 'list' ? type.item : type.key,
    place: place === undefined ? undefined : partOf(place, 'element', place as Sized),
  };
}

/** The place of an element, of a key, or of a field of the value at a place. */
export function partOf(place: Place, part: 'element' | 'key' | { readonly field: string }, root: Sized): Place {
  if (place === undefined) return root;
  if (place === 'nowhere') return place;
  const { type } = place;
  if (typeof part === 'object') {
    const field = type.kind === 'object' ? type.fields.get(part.field) : undefined;
    return field ?? 'nowhere';
  }
  if (type.kind === 'list') return part === 'element' ? { type: type.item, size: type.itemSize } : 'nowhere';
  if (type.kind !== 'map') return 'nowhere';
  return part === 'element' ? { type: type.value, size: type.valueSize } : { type: type.key, size: 0 };
}
