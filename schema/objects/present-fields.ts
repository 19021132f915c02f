import type { JsonObject } from '#base/json/json-value.ts';
import type { FieldType, MessageType } from '../descriptors/types.ts';

/** Whether a field of this type is left out of JSON at its zero value. */
export function leftOut(field: FieldType): boolean {
  if (!field.omitempty) return false;
  if (field.repeated || field.map || field.pointer || field.message === undefined) return true;
  return field.message.jsonForm === 'items';
}

/** Precomputed positions of a type with many fields, for values that set only a few of them. */
interface Positions {
  readonly ofNames: ReadonlyMap<string, number>;
  /** Positions of fields that are always written. */
  readonly always: readonly number[];
}

const known = new WeakMap<MessageType, Positions>();

function positionsOf(type: MessageType): Positions {
  let found = known.get(type);
  if (found === undefined) {
    const ofNames = new Map(type.jsonFields.map(({ name }, i) => [name, i]));
    const always = [...type.jsonFields.keys()].filter((i) => !leftOut(type.jsonFields[i]!));
    known.set(type, (found = { ofNames, always }));
  }
  return found;
}

/** The positions of the fields that a value has or that are always written, in order. */
export function presentFields(type: MessageType, value: JsonObject): number[] {
  const { ofNames, always } = positionsOf(type);
  const present: number[] = always.slice();
  for (const name in value) {
    const position = ofNames.get(name);
    if (position === undefined || always.includes(position)) continue;
    let i = present.length;
    // `splice` would create a list of the removed items
    for (present.push(position); i > 0 && present[i - 1]! > position; i--) present[i] = present[i - 1]!;
    present[i] = position;
  }
  return present;
}
