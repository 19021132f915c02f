import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { FieldType, MessageType } from '#schema/descriptors/types.ts';

/** A path of names of fields and positions in lists. */
export type Way = readonly (string | number)[];

/** A field of a message, and its path in an object. */
export interface FieldPlace {
  readonly message: MessageType;
  readonly field: FieldType;
  readonly way: Way;
  /** Values that are inserted for missing messages on the path, so that the rules of these messages pass. */
  readonly parts: readonly (JsonObject | undefined)[];
}

/** Makes the value of a message on the path to a field. */
type PartOf = (message: MessageType) => JsonObject | undefined;

/**
 * Every field that clients write in objects of a message. Each occurs once, in the first items of lists, and not in the
 * status.
 */
export function writtenFields(root: MessageType, partOf: PartOf): Generator<FieldPlace> {
  return fieldsBelow(root, [], [], partOf);
}

/** Every field of the status of a kind that is written through a subresource, in the same form. */
export function* statusFields(root: MessageType, partOf: PartOf): Generator<FieldPlace> {
  const { message } = root.byJsonName.get('status') ?? {};
  const isView = root.resource?.subresources.some(({ name }) => name === 'status') === true;
  if (message?.jsonForm === 'object' && isView) yield* fieldsBelow(message, ['status'], [partOf(message)], partOf);
}

/** Every field of metadata. */
export function metadataFields(metadata: MessageType): Generator<FieldPlace> {
  return fieldsBelow(metadata, [], [], () => undefined);
}

function* fieldsBelow(root: MessageType, to: Way, made: FieldPlace['parts'], partOf: PartOf): Generator<FieldPlace> {
  const seen = new Set<FieldType>();
  function* below(
    message: MessageType,
    way: Way,
    parts: FieldPlace['parts'],
    above: readonly MessageType[],
  ): Generator<FieldPlace> {
    for (const field of message.jsonFields) {
      if (message.typeMeta && (field.name === 'metadata' || field.name === 'status')) continue;
      const inner = field.message;
      if (inner?.shortName === 'ObjectMeta') continue;
      const here = [...way, field.name];
      if (!seen.has(field)) yield { message, field, way: here, parts };
      seen.add(field);
      if (field.map || inner?.jsonForm !== 'object' || above.includes(inner)) continue;
      const part = partOf(inner);
      if (field.repeated) yield* below(inner, [...here, 0], [...parts, undefined, part], [...above, inner]);
      else yield* below(inner, here, [...parts, part], [...above, inner]);
    }
  }
  yield* below(root, to, made, [root]);
}

/**
 * A copy with a value at a path. Undefined removes the value. Missing parts of the path are made.
 * @param alone whether mutually exclusive members are removed: sources of volumes, handlers
 */
export function withValue(
  base: JsonObject,
  { way, parts }: Pick<FieldPlace, 'way' | 'parts'>,
  value: JsonValue | undefined,
  alone: boolean,
): JsonObject {
  const copy = cloneJson(base);
  let at = copy as Record<string | number, JsonValue | undefined>;
  way.slice(0, -1).forEach((step, depth) => {
    if (at[step] == null) {
      if (alone && depth > 0 && typeof step === 'string') dropMessages(at);
      at[step] = typeof way[depth + 1] === 'number' ? [] : { ...parts[depth] };
    }
    at = at[step] as unknown as Record<string | number, JsonValue | undefined>;
  });
  const last = way.at(-1)!;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}

function dropMessages(at: Record<string | number, JsonValue | undefined>): void {
  for (const [name, value] of Object.entries(at))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) delete at[name];
}

/** The value at a path; undefined if there is none. */
export function valueAt(object: JsonValue | undefined, way: Way): JsonValue | undefined {
  return way.reduce<JsonValue | undefined>(
    (at, step) => (at == null ? undefined : (at as Record<string | number, JsonValue | undefined>)[step]),
    object,
  );
}

/** The path in the form of errors: `spec.ports[0].name`. */
export function textOf(way: Way): string {
  return way.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${step}`)).join('');
}
