import { remembered } from '#base/collections/remembered.ts';
import { compareText } from '#base/collections/sort-short.ts';
import { isObject, type JsonValue } from '#base/json/json-value.ts';
import { parseTrusted } from '#base/json/parse-stored.ts';
import { isScalar, scalarText } from './value.ts';

/**
 * One step of a field path, in the text form of FieldsV1. Equal steps have equal texts.
 * - `f:name` a member of an object
 * - `k:{"name":"x"}` an item of a list, by its keys in the order of their names
 * - `v:"x"` an item of a set, by its value
 * - `i:0` an item of a list, by its position
 */
export type PathElement = string;

/**
 * The step to a member of an object. A name always gives the same text object, so sets find it without hashing it
 * again.
 */
export const memberElement: (name: string) => PathElement = remembered((name) => `f:${name}`, {
  most: 8192,
  longest: 64,
});

/** The name of the member to which a step leads; undefined for a step into a list. */
export function memberName(element: PathElement): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

/** The step to the item of a set. */
export function valueElement(value: JsonValue): PathElement | undefined {
  return isScalar(value) ? `v:${scalarText(value)}` : undefined;
}

/** A step of an unknown form is `ignored`. A malformed step of a known form is `wrong`. */
export type ParsedElement = PathElement | 'ignored' | 'wrong';

/** Reads a step and normalizes it: equal steps have one form. */
export function parsePathElement(text: string): ParsedElement {
  switch (text.slice(0, 2)) {
    case 'f:':
      return text;
    case 'i:':
      return /^i:-?\d{1,15}$/.test(text) ? `i:${Number(text.slice(2))}` : 'wrong';
    case 'v:':
    case 'k:':
      return itemStep(text).element;
    default:
      return text.charAt(1) === ':' ? 'ignored' : 'wrong';
  }
}

/** A value with its text. The text is undefined if the value is not a scalar. */
interface Spelt {
  readonly value: JsonValue;
  readonly text: string | undefined;
}

/** A parsed step to an item, in normalized form. */
interface ItemStep {
  readonly element: ParsedElement;
  readonly value: Spelt;
  /** The keys in the order in which they are written. Empty for single values. */
  readonly keys: readonly (readonly [name: string, value: Spelt])[];
}

function spelt(value: JsonValue): Spelt {
  return { value, text: isScalar(value) ? scalarText(value) : undefined };
}

/** The parsed steps to items. They are remembered, because the items of a list are the same in every write. */
const itemStep: (text: string) => ItemStep = remembered(
  (text) => {
    const value = json(text.slice(2));
    const keys = value !== undefined && isObject(value) ? Object.entries(value) : [];
    return {
      element: elementOf(text, value),
      value: spelt(value ?? null),
      keys: keys.map(([name, key]) => [name, spelt(key)] as const),
    };
  },
  { most: 4096, longest: 128 },
);

function elementOf(text: string, value: JsonValue | undefined): ParsedElement {
  if (value === undefined) return 'wrong';
  if (text.startsWith('v:')) return valueElement(value) ?? 'wrong';
  if (!isObject(value)) return 'wrong';
  const parts: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const key = value[name]!;
    if (!isScalar(key)) return 'wrong';
    parts.push(`${JSON.stringify(name)}:${scalarText(key)}`);
  }
  return parts.length === 0 ? 'wrong' : `k:{${parts.join(',')}}`;
}

function json(text: string): JsonValue | undefined {
  try {
    return parseTrusted(text);
  } catch {
    return undefined;
  }
}

const KIND_ORDER = 'fkvi';

/**
 * The order of steps in a field set: members, items by key, items by value, items by position. Each call makes an order
 * for one list. It reads each step once, however often the list compares it.
 */
export function pathElementOrder(): (a: PathElement, b: PathElement) => number {
  const read = new Map<PathElement, ItemStep>();
  const stepOf = (element: PathElement): ItemStep => {
    const known = read.get(element);
    if (known !== undefined) return known;
    const step = itemStep(element);
    read.set(element, step);
    return step;
  };
  return (a, b) => {
    if (a === b) return 0;
    const kind = a.charAt(0);
    if (kind !== b.charAt(0)) return KIND_ORDER.indexOf(kind) - KIND_ORDER.indexOf(b.charAt(0));
    if (kind === 'f') return a < b ? -1 : 1;
    return compareSteps(stepOf(a), stepOf(b));
  };
}

function compareSteps(left: ItemStep, right: ItemStep): number {
  if (left.keys.length === 0 && right.keys.length === 0) return compareScalars(left.value, right.value);
  for (let i = 0; i < left.keys.length && i < right.keys.length; i++) {
    const [name, value] = left.keys[i]!;
    const [otherName, otherValue] = right.keys[i]!;
    const order = compareText(name, otherName) || compareScalars(value, otherValue);
    if (order !== 0) return order;
  }
  return left.keys.length - right.keys.length;
}

function compareScalars(a: Spelt, b: Spelt): number {
  if (typeof a.value === 'number' && typeof b.value === 'number') return a.value - b.value;
  return a.text === undefined || b.text === undefined ? 0 : compareText(a.text, b.text);
}

/** A path in messages: `.spec.ports[port=80,protocol="TCP"].name`. */
export function pathText(path: readonly PathElement[]): string {
  return path.map(elementText).join('');
}

function elementText(element: PathElement): string {
  const text = element.slice(2);
  switch (element.charAt(0)) {
    case 'f':
      return `.${text}`;
    case 'v':
      return `[=${text}]`;
    case 'k': {
      const keys = json(text);
      if (keys === undefined || !isObject(keys)) return `[${text}]`;
      return `[${Object.entries(keys)
        .map(([name, value]) => `${name}=${isScalar(value) ? scalarText(value) : ''}`)
        .join(',')}]`;
    }
    default:
      return `[${text}]`;
  }
}
