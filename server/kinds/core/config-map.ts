import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, forbiddenField, invalidValue, tooLong } from '#base/errors/field-error.ts';
import type { ConfigMap } from '#schema/generated/core.v1.ts';
import { base64Bytes, MAX_CONTENT_BYTES } from '#schema/validation/content-size.ts';
import { age } from '#schema/validation/human-duration.ts';
import { forbidChange } from '#schema/validation/immutable.ts';
import { configKey } from '#schema/validation/names.ts';
import { defineKind } from '../define-kind.ts';

/** The detail of the error about a change that `immutable: true` forbids. */
export const IMMUTABLE_CONTENT = 'field is immutable when `immutable` is set';

function contentBytes({ data, binaryData }: ConfigMap): number {
  let bytes = 0;
  for (const value of Object.values(data ?? {})) bytes += Buffer.byteLength(value);
  for (const value of Object.values(binaryData ?? {})) bytes += base64Bytes(value);
  return bytes;
}

function validate(object: ConfigMap): FieldError[] {
  const { data = {}, binaryData = {} } = object;
  const errors: FieldError[] = [];
  const checkKey = (path: FieldPath, key: string) =>
    append(
      errors,
      configKey(key).map((problem) => invalidValue(path.key(key), key, problem)),
    );
  const path = new FieldPath('data');
  for (const key of Object.keys(data).sort()) {
    checkKey(path, key);
    if (Object.hasOwn(binaryData, key)) {
      errors.push(invalidValue(path.key(key), key, 'duplicate of key present in binaryData'));
    }
  }
  for (const key of Object.keys(binaryData).sort()) checkKey(new FieldPath('binaryData'), key);
  // The object as a whole is too long, and not one field, so clients see an empty key in the path.
  if (contentBytes(object) > MAX_CONTENT_BYTES) errors.push(tooLong(new FieldPath().key(''), '', MAX_CONTENT_BYTES));
  return errors;
}

/** The kind of settings as texts and bytes. An object with `immutable: true` cannot be changed any more. */
export const configMap = defineKind('core/configmaps', {
  revalidatesOnUpdate: true,
  validate,
  validateUpdate(object, old) {
    if (old.immutable !== true) return [];
    return [
      ...(object.immutable === true ? [] : [forbiddenField('immutable', IMMUTABLE_CONTENT)]),
      ...forbidChange(object.data, old.data, new FieldPath('data'), IMMUTABLE_CONTENT),
      ...forbidChange(object.binaryData, old.binaryData, new FieldPath('binaryData'), IMMUTABLE_CONTENT),
    ];
  },
  cells: ({ metadata, data, binaryData }, { now }) => [
    metadata.name ?? '',
    Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
    age(metadata.creationTimestamp, now),
  ],
});
