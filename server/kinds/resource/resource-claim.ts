import { type FieldError, FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import { resourceClaimVersions } from '#schema/conversion/resource/claims.ts';
import type { AllocationResult, ResourceClaim } from '#schema/generated/resource.v1.ts';
import { validateConditions } from '#schema/validation/conditions.ts';
import { age } from '#schema/validation/human-duration.ts';
import { IMMUTABLE, semanticallyEqual } from '#schema/validation/immutable.ts';
import { validateNodeSelector } from '#schema/validation/node-selector.ts';
import { defineKind } from '../define-kind.ts';
import { keepSpec } from '../status-view.ts';
import { requestNames, validateClaimSpec } from './claim-spec.ts';
import {
  validateDriver,
  validateLabelName,
  validateList,
  validateOnce,
  validatePoolName,
  validateReferences,
} from './device-parts.ts';

const SPEC = new FieldPath('spec');
const STATUS = new FieldPath('status');
const MAX_RESULTS = 32;
const MAX_CONSUMERS = 256;

function validateAllocation(allocation: AllocationResult, names: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const results = validateList(
    allocation.devices?.results,
    MAX_RESULTS,
    path.child('devices', 'results'),
    (result, at) => [
      ...validateReferences([result.request], names, 1, at.child('request')).map((error) => ({
        ...error,
        field: at.child('request').toString(),
      })),
      ...validateDriver(result.driver, at.child('driver')),
      ...validatePoolName(result.pool, at.child('pool')),
      ...validateLabelName(result.device, at.child('device')),
    ],
  );
  const { nodeSelector } = allocation;
  if (nodeSelector === undefined) return results;
  const at = path.child('nodeSelector');
  return [...results, ...validateNodeSelector(nodeSelector, at)];
}

function validateStatus(object: ResourceClaim, old: ResourceClaim): FieldError[] {
  const { allocation, reservedFor, devices } = object.status ?? {};
  const errors: FieldError[] = [];
  if (allocation !== undefined && !semanticallyEqual(allocation, old.status?.allocation)) {
    if (old.status?.allocation !== undefined) return [invalidValue(STATUS.child('allocation'), allocation, IMMUTABLE)];
    errors.push(...validateAllocation(allocation, requestNames(object.spec ?? {}), STATUS.child('allocation')));
  }
  errors.push(
    ...validateList(reservedFor, MAX_CONSUMERS, STATUS.child('reservedFor'), ({ resource, name, uid }, at) =>
      Object.entries({ resource, name, uid }).flatMap(([field, value]) =>
        value === '' ? [required(at.child(field))] : [],
      ),
    ),
    ...validateOnce(reservedFor, STATUS.child('reservedFor'), ({ uid }) => uid),
  );
  const allocated = new Set(
    (allocation?.devices?.results ?? []).map(({ driver, pool, device }) => `${driver}/${pool}/${device}`),
  );
  const seen = new Set<string>();
  (devices ?? []).forEach((device, i) => {
    const at = STATUS.child('devices').index(i);
    const id = `${device.driver}/${device.pool}/${device.device}`;
    if (!allocated.has(id)) errors.push(invalidValue(at, id, 'must be an allocated device in the claim'));
    if (seen.has(id)) errors.push(invalidValue(at, id, 'duplicate device'));
    seen.add(id);
    errors.push(...validateConditions(device.conditions, at.child('conditions')));
  });
  return errors;
}

/** `allocated,reserved`, `deleted,allocated`, `pending`. */
function stateText({ metadata, status }: ResourceClaim): string {
  const states: string[] = [];
  if ((metadata.deletionTimestamp ?? null) !== null) states.push('deleted');
  if (status?.allocation === undefined) {
    if (states.length === 0) states.push('pending');
  } else {
    states.push('allocated');
    if ((status.reservedFor ?? []).length > 0) states.push('reserved');
  }
  return states.join(',');
}

/** The wish for devices, and what was given for it. */
export const resourceClaim = defineKind('resource/resourceclaims', {
  versions: resourceClaimVersions,
  validate: ({ spec }) => validateClaimSpec(spec ?? {}, SPEC),
  validateUpdate: (object, old) =>
    semanticallyEqual(object.spec, old.spec) ? [] : [invalidValue(SPEC, object.spec, IMMUTABLE)],
  subresources: { status: { prepareForUpdate: keepSpec, validateUpdate: validateStatus } },
  cells: (object, { now }) => [
    object.metadata.name ?? '',
    stateText(object),
    age(object.metadata.creationTimestamp, now),
  ],
});
