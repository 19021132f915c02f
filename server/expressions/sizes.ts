import { type CelType, heldBy } from './cel-type.ts';
import type { CelValue } from './cel-value.ts';

/** The largest estimate. Beyond 64 bits all estimates are equal. */
export const MOST = 2 ** 64;
/** The cost of a walk over texts for each character. */
export const STRING_FACTOR = 0.1;

/** The smallest and the largest number of elements, characters or bytes of a value, if they are known. */
export interface Size {
  readonly least: number;
  readonly most: number;
}

/** A type, and the largest number of elements, characters or bytes that the schema allows in its values. */
export interface Sized {
  readonly type: CelType;
  readonly size: number;
}

/**
 * The place of a value in the schema, which limits its size. Undefined for values that expressions create. Members of
 * such values count as the root of the schema, because clients wrote rules for these estimates.
 */
export type Place = Sized | 'nowhere' | undefined;

/** The known facts about the size of a part of an expression. */
export interface Estimated {
  readonly type: CelType;
  readonly place?: Place;
  /** The size that follows from the expression itself. */
  readonly known?: Size;
  /** The size of the items, or of the values of a map, that follows from the expression. */
  readonly items?: Size;
}

/** An argument in estimates. `constant` is set for a literal. */
export interface Operand extends Estimated {
  readonly constant?: { readonly value: CelValue };
}

const UNKNOWN: Size = { least: 0, most: MOST };

/** The size of a literal value. */
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

/** The size of a value that may be either of two. */
export function eitherSize(a: Size, b: Size): Size {
  return { least: Math.min(a.least, b.least), most: Math.max(a.most, b.most) };
}

/** The highest cost of a walk over a value of this size. */
export function walkOf({ most }: Size, factor = STRING_FACTOR): number {
  return capped(Math.ceil(most * factor));
}

const FIXED = new Set(['bool', 'int', 'uint', 'double', 'timestamp', 'duration']);

/** The possible size of a value. */
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
