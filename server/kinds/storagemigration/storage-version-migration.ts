import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { StorageVersionMigration } from '#schema/generated/storagemigration.v1.ts';
import { validateConditions } from '#schema/validation/conditions.ts';
import { IMMUTABLE, semanticallyEqual } from '#schema/validation/immutable.ts';
import { dns1123Subdomain } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { keepAllButStatus, METADATA_AND_SPEC } from '../status-view.ts';

const SPEC = new FieldPath('spec');
const STATUS = new FieldPath('status');

function validate({ spec }: StorageVersionMigration): FieldError[] {
  const path = SPEC.child('resource');
  const { group = '', resource = '' } = spec?.resource ?? {};
  return [
    ...(resource === '' ? [required(path.child('resource'), 'resource is required to be set')] : []),
    ...(group === '' ? [] : validateText(group, dns1123Subdomain, path.child('group'))),
  ];
}

function holds({ status }: StorageVersionMigration, type: string): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}

/** Validates the status. A migration ends with success or failure, and its result does not change. */
function validateStatus(
  object: StorageVersionMigration,
  old: StorageVersionMigration,
  { release }: WriteContext,
): FieldError[] {
  const path = STATUS.child('conditions');
  const { conditions, resourceVersion = '' } = object.status ?? {};
  const errors: FieldError[] = [];
  if (resourceVersion !== '' && !/^\d+$/.test(resourceVersion)) {
    const detail = `resource version is not well formed: ${resourceVersion}`;
    errors.push(invalidValue(STATUS.child('resourceVersion'), resourceVersion, detail));
  }
  append(errors, validateConditions(conditions, path, release));
  if (holds(object, 'Succeeded') && holds(object, 'Failed'))
    errors.push(invalidValue(path, conditions, 'Both success and failed conditions cannot be true at the same time'));
  for (const type of ['Succeeded', 'Failed'])
    if (holds(old, type) && !holds(object, type))
      errors.push(invalidValue(path, conditions, `${type} condition cannot be set to false once it is true`));
  return errors;
}

function statusText(object: StorageVersionMigration): string {
  return ['Succeeded', 'Failed', 'Running'].find((type) => holds(object, type)) ?? 'Pending';
}

/** The kind of requests to write all objects of a resource again in the current storage form. */
export const storageVersionMigration = defineKind('storagemigration/storageversionmigrations', {
  validate,
  validateUpdate: (object, old) =>
    semanticallyEqual(object.spec, old.spec) ? validate(object) : [invalidValue(SPEC, object.spec, IMMUTABLE)],
  statusResets: METADATA_AND_SPEC,
  subresources: { status: { prepareForUpdate: keepAllButStatus, validateUpdate: validateStatus } },
  cells: (object) => {
    const { group = '', resource = '' } = object.spec?.resource ?? {};
    return [object.metadata.name ?? '', group === '' ? resource : `${resource}.${group}`, statusText(object)];
  },
});
