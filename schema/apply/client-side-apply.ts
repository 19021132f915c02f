import { Buffer } from 'node:buffer';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { parseJson } from '#base/json/parse.ts';
import { setKey } from '#base/json/set-key.ts';
import { stringify } from '#base/json/stringify.ts';
import type { ApplyType } from './apply-type.ts';
import { compare } from './compare.ts';
import { FieldSet } from './field-set.ts';
import type { Conflict } from './ownership.ts';
import { fieldSetOf } from './to-field-set.ts';
import { TypedError, validateTyped } from './validate-typed.ts';
import { memberOf, membersOf } from './value.ts';

/**
 * A client that merged on its own side until now keeps its last applied configuration in an annotation. When it changes
 * to server-side apply, it becomes the owner of the fields that still have the values of that configuration. So these
 * fields do not conflict. The server updates the annotation at each apply, so that the client can change back.
 */
export interface ClientSideApply {
  /** The client's field manager. */
  readonly manager: string;
  /** Key of the annotation. */
  readonly annotation: string;
}

interface Request {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly config: JsonObject;
  readonly clientSide?: ClientSideApply | undefined;
}

/** The largest number of bytes that the keys and values of all annotations of an object may have together. */
const MAX_ANNOTATIONS = 256 * 1024;

/**
 * Conflicts, except those about fields that the client itself set with client-side apply.
 *
 * @example
 * withoutAllowed([{ manager, fields }], request, live, type) // [] where the client's annotation has all of the fields
 */
export function withoutAllowed(
  conflicts: readonly Conflict[],
  request: Request,
  live: JsonObject,
  type: ApplyType,
): readonly Conflict[] {
  if (request.clientSide?.manager !== request.manager) return conflicts;
  const allowed = fieldsStillAsApplied(live, request.clientSide.annotation, request.apiVersion, type);
  const refused = conflicts.filter(({ fields }) => !fields.difference(allowed).isEmpty);
  return refused.map(({ manager, fields }) => ({ manager, fields: fields.difference(allowed) }));
}

function fieldsStillAsApplied(live: JsonObject, annotation: string, apiVersion: string, type: ApplyType): FieldSet {
  const text = memberOf(annotationsOf(live), annotation);
  const applied = typeof text === 'string' ? parsed(text) : undefined;
  if (applied === undefined || applied.apiVersion !== apiVersion || !fits(applied, type)) return FieldSet.empty;
  const { added, modified, removed } = compare(applied, live, type);
  return fieldSetOf(applied, type).difference(modified).difference(added).difference(removed);
}

function parsed(text: string): JsonObject | undefined {
  try {
    const { value } = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function fits(value: JsonValue, type: ApplyType): boolean {
  try {
    validateTyped(value, type, 'refused');
    return true;
  } catch (error) {
    if (error instanceof TypedError) return false;
    throw error;
  }
}

function annotationsOf(object: JsonObject): JsonObject | undefined {
  return membersOf(membersOf(object.metadata)?.annotations);
}

/**
 * The applied object. If the client of `clientSide` made the request and the object has its annotation, the annotation
 * gets the applied configuration. The annotation is removed if it makes the annotations too large.
 */
export function configBehind(object: JsonObject, { clientSide, manager, subresource, config }: Request): JsonObject {
  const annotations = annotationsOf(object);
  if (clientSide?.manager !== manager || subresource !== '' || annotations === undefined) return object;
  if (!Object.hasOwn(annotations, clientSide.annotation)) return object;
  const { [clientSide.annotation]: _, ...others } = annotations;
  const renewed = {
    ...others,
    [clientSide.annotation]: `${stringify(sorted(withoutAnnotation(config, clientSide.annotation)))}\n`,
  };
  const kept = sizeOf(renewed) > MAX_ANNOTATIONS ? others : renewed;
  return { ...object, metadata: { ...membersOf(object.metadata), annotations: kept } };
}

function withoutAnnotation(config: JsonObject, annotation: string): JsonObject {
  const annotations = annotationsOf(config);
  if (annotations === undefined || !Object.hasOwn(annotations, annotation)) return config;
  const { [annotation]: _, ...others } = annotations;
  return { ...config, metadata: { ...membersOf(config.metadata), annotations: others } };
}

/** The same value with the members of every object in the order of their names. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const name of Object.keys(value).sort()) setKey(out, name, sorted(value[name]!));
  return out;
}

function sizeOf(annotations: JsonObject): number {
  let size = 0;
  for (const [key, value] of Object.entries(annotations))
    size += Buffer.byteLength(key) + Buffer.byteLength(String(value));
  return size;
}
