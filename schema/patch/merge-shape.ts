import type { FieldType, MessageType, ValueType } from '../descriptors/types.ts';

/**
 * The known structure of a JSON value during a patch: the fields of a message, or a map whose values have one type. If
 * the structure is unknown (custom objects, free-form values), members merge like those of a map, and lists are
 * replaced.
 */
export type Shape =
  | { readonly form: 'struct'; readonly message: MessageType }
  | { readonly form: 'map'; readonly values: ValueType }
  | { readonly form: 'unknown' };

/** The rules by which one member of a value merges. */
export interface MemberShape {
  /** False if the message does not have the name. */
  readonly known: boolean;
  /** The shape of the member. For a list, it is the shape of its items. */
  readonly shape: Shape;
  readonly replaces: boolean;
  /** Whether members of the live object that the new object lacks are removed, as in a union. */
  readonly retainsKeys: boolean;
  /** Whether the items of the list are merged with the live ones and do not replace them. */
  readonly merges: boolean;
  /** The member that identifies items; undefined for a list of plain values. */
  readonly mergeKey: string | undefined;
  /** The declaration of the member; undefined if it has none. */
  readonly field: FieldType | undefined;
}

const UNKNOWN: Shape = { form: 'unknown' };

/** The shape of a value of a message type. A message that is not an object in JSON has no known shape. */
export function shapeOf(message: MessageType | undefined): Shape {
  return message?.jsonForm === 'object' ? { form: 'struct', message } : UNKNOWN;
}

/** The merge rules of the member `name` of a value of this shape. */
export function memberShape(shape: Shape, name: string): MemberShape {
  if (shape.form === 'struct') {
    const field = shape.message.byJsonName.get(name);
    return field === undefined ? plain(UNKNOWN, false) : ofField(field);
  }
  return plain(shape.form === 'map' ? shapeOf(shape.values.message) : UNKNOWN, true);
}

function ofField(field: FieldType): MemberShape {
  return {
    known: true,
    shape: field.map && !field.repeated ? { form: 'map', values: field } : shapeOf(field.message),
    replaces: field.patchStrategy.includes('replace'),
    retainsKeys: field.patchStrategy.includes('retainKeys'),
    merges: field.patchStrategy.includes('merge'),
    mergeKey: field.patchMergeKey,
    field,
  };
}

function plain(shape: Shape, known: boolean): MemberShape {
  return { known, shape, replaces: false, retainsKeys: false, merges: false, mergeKey: undefined, field: undefined };
}
