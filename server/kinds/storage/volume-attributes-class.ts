import { append } from '#base/collections/append.ts';
import { type FieldError, forbiddenField, invalidValue, required, tooLong } from '#base/errors/field-error.ts';
import type { VolumeAttributesClass } from '#schema/generated/storage.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { semanticallyEqual } from '#schema/validation/immutable.ts';
import { qualifiedName } from '#schema/validation/names.ts';
import { defineKind } from '../define-kind.ts';
import { validateParameters } from './parameters.ts';

const MAX_DRIVER_NAME = 63;

function validate({ driverName, parameters = {} }: VolumeAttributesClass): FieldError[] {
  const errors: FieldError[] = [];
  if (driverName === '') errors.push(required('driverName'));
  else {
    const lower = driverName.toLowerCase();
    append(
      errors,
      qualifiedName(lower).map((problem) => invalidValue('driverName', lower, problem)),
    );
    if (driverName.length > MAX_DRIVER_NAME) errors.push(tooLong('driverName', driverName, MAX_DRIVER_NAME));
  }
  if (Object.keys(parameters).length === 0)
    return [...errors, required('parameters', 'must contain at least one key/value pair')];
  return [...errors, ...validateParameters(parameters)];
}

/** The kind of classes of volume attributes, which a driver can change while the volume is used. */
export const volumeAttributesClass = defineKind('storage/volumeattributesclasses', {
  validate,
  validateUpdate: (object, old) => [
    ...(['driverName', 'parameters'] as const)
      .filter((field) => !semanticallyEqual(object[field], old[field]))
      .map((field) => forbiddenField(field, `updates to ${field} are forbidden.`)),
    ...validate(object),
  ],
  cells: ({ metadata, driverName }, { now }) => [metadata.name ?? '', driverName, age(metadata.creationTimestamp, now)],
});
