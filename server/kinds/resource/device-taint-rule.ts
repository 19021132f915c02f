import { type FieldError, FieldPath } from '#base/errors/field-error.ts';
import type { DeviceTaintRule } from '#schema/generated/resource.v1.ts';
import { validateConditions } from '#schema/validation/conditions.ts';
import { age } from '#schema/validation/human-duration.ts';
import { semanticallyEqual } from '#schema/validation/immutable.ts';
import { defineKind } from '../define-kind.ts';
import { keepAllButStatus, METADATA_AND_SPEC } from '../status-view.ts';
import { validateDriver, validateLabelName, validatePoolName, validateTaint } from './device-parts.ts';

const SPEC = new FieldPath('spec');

function validate({ spec }: DeviceTaintRule): FieldError[] {
  const { driver, pool, device } = spec.deviceSelector ?? {};
  const at = SPEC.child('deviceSelector');
  return [
    ...(driver === undefined ? [] : validateDriver(driver, at.child('driver'))),
    ...(pool === undefined ? [] : validatePoolName(pool, at.child('pool'))),
    ...(device === undefined ? [] : validateLabelName(device, at.child('device'))),
    ...validateTaint(spec.taint, SPEC.child('taint')),
  ];
}

/** The kind of rules that taint all devices that a selector matches. */
export const deviceTaintRule = defineKind('resource/devicetaintrules', {
  prepareForCreate({ spec }, { now }) {
    spec.taint.timeAdded ??= now;
  },
  prepareForUpdate({ spec }, old, { now }) {
    // A change of only the effect makes it a new taint.
    if (
      semanticallyEqual(spec.taint.timeAdded, old.spec.taint.timeAdded) &&
      spec.taint.effect !== old.spec.taint.effect
    )
      spec.taint.timeAdded = now;
    spec.taint.timeAdded ??= now;
  },
  validate,
  validateUpdate: validate,
  statusResets: METADATA_AND_SPEC,
  subresources: {
    status: {
      prepareForUpdate: keepAllButStatus,
      validateUpdate: ({ status }, _old, { release }) =>
        validateConditions(status?.conditions, new FieldPath('status').child('conditions'), release),
    },
  },
  cells: ({ metadata, spec }, { now }) => [
    metadata.name ?? '',
    spec.taint.key,
    spec.taint.value ?? '',
    spec.taint.effect,
    age(spec.taint.timeAdded, now),
    age(metadata.creationTimestamp, now),
  ],
});
