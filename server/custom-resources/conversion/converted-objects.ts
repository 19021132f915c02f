import { type FieldError, FieldPath } from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { ApiObject, ObjectMeta } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import { validateAnnotations } from '#schema/validation/annotations.ts';
import { validateLabels } from '#schema/validation/labels.ts';

const METADATA = new FieldPath('metadata');

/** The error about an invalid answer of a webhook. The reason follows `conversion webhook for …`. */
export class ConversionDefect extends Error {}

/**
 * The objects that a conversion webhook returned, after checks. There must be as many as in the request. Each object
 * must have the requested version and must otherwise be the same object. Of its metadata only labels and annotations
 * may change. The rest is copied from the sent object. Throws a {@link ConversionDefect}.
 */
export function convertedObjects(
  sent: readonly ApiObject[],
  converted: readonly JsonValue[],
  to: string,
): readonly ApiObject[] {
  if (converted.length !== sent.length) {
    throw new ConversionDefect(`returned ${converted.length} objects, expected ${sent.length}`);
  }
  return sent.map((original, i) => {
    const object = converted[i]!;
    const at = sent.length === 1 ? '' : ` at index ${i}`;
    if (!isObject(object)) throw new ConversionDefect(`returned invalid object at index ${i}: it is no object`);
    if (object['apiVersion'] !== to) {
      const received = `invalid groupVersion (expected ${to}, received ${textOf(object['apiVersion'])})`;
      throw new ConversionDefect(`returned invalid object at index ${i}: ${received}`);
    }
    if (object['kind'] !== original.kind) {
      const received = `invalid kind (expected ${original.kind}, received ${textOf(object['kind'])})`;
      throw new ConversionDefect(`returned invalid object at index ${i}: ${received}`);
    }
    requireSame(original, object, at);
    const metadata = restored(original.metadata, object['metadata'] as JsonObject, at);
    return asObject({ ...object, metadata });
  });
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function requireSame(original: ApiObject, object: JsonObject, at: string): void {
  const must = (what: string, expected: string, found: JsonValue | undefined) => {
    if (textOf(found) === expected) return;
    throw new ConversionDefect(
      `returned invalid object${at}: must have the same ${what}: ${expected} != ${textOf(found)}`,
    );
  };
  const metadata = isObject(object['metadata'] ?? null) ? (object['metadata'] as JsonObject) : {};
  const { name = '', namespace = '', uid = '' } = original.metadata;
  must('name', name, metadata['name']);
  must('namespace', namespace, metadata['namespace']);
  must('UID', uid, metadata['uid']);
}

/** The metadata that was sent, with the labels and annotations of the answer. */
function restored(sent: ObjectMeta, received: JsonObject, at: string): ObjectMeta {
  const metadata = cloneJson(sent);
  for (const field of ['labels', 'annotations'] as const) {
    const value = received[field];
    if (value === undefined || value === null) {
      delete metadata[field];
      continue;
    }
    const texts = textsOf(value, field, at);
    const errors: FieldError[] =
      field === 'labels'
        ? validateLabels(texts, METADATA.child(field))
        : validateAnnotations(texts, METADATA.child(field));
    if (errors.length > 0)
      throw new ConversionDefect(`returned invalid metadata${at}: ${errors.map(({ text }) => text).join(', ')}`);
    metadata[field] = texts;
  }
  return metadata;
}

function textsOf(value: JsonValue, field: string, at: string): Record<string, string> {
  if (!isObject(value)) {
    throw new ConversionDefect(`returned invalid metadata${at}: invalid metadata.${field} in converted object`);
  }
  for (const [key, text] of Object.entries(value)) {
    if (typeof text === 'string') continue;
    const where = `metadata.${field}[${key}]`;
    throw new ConversionDefect(`returned invalid metadata${at}: ${where} must be a string in converted object`);
  }
  return value as Record<string, string>;
}
