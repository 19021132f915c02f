import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, invalidValue, required, tooMany } from '#base/errors/field-error.ts';
import type { Device, DeviceAttribute, ResourceSlice, ResourceSliceSpec } from '#schema/generated/resource.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validateImmutable } from '#schema/validation/immutable.ts';
import { cIdentifier, dns1123Subdomain } from '#schema/validation/names.ts';
import { validateNodeSelector } from '#schema/validation/node-selector.ts';
import { defineKind } from '../define-kind.ts';
import {
  validateDriver,
  validateLabelName,
  validateList,
  validateOnce,
  validatePoolName,
  validateTaint,
} from './device-parts.ts';

const SPEC = new FieldPath('spec');
const MAX_DEVICES = bounds['resource.v1.ResourceSliceSpec'].devices.maxItems;
const MAX_ATTRIBUTES = 32;
const MAX_COUNTER_SETS = bounds['resource.v1.ResourceSliceSpec'].sharedCounters.maxItems;
const MAX_TAINTS = bounds['resource.v1.Device'].taints.maxItems;
const VALUES = ['int', 'bool', 'string', 'version'] as const;
const SHOWN_VALUES = '`int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`';
/** Matches a version by https://semver.org, section 2 and the later ones. */
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

/** Validates a key: `name`, or `domain/name`. */
function validateQualifiedKey(key: string, path: FieldPath): FieldError[] {
  const slash = key.indexOf('/');
  const [domain, name] = slash < 0 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)];
  return [
    ...(domain === undefined ? [] : dns1123Subdomain(domain).map((problem) => invalidValue(path, domain, problem))),
    ...cIdentifier(name).map((problem) => invalidValue(path, name, problem)),
  ];
}

function validateAttribute(attribute: DeviceAttribute, path: FieldPath): FieldError[] {
  const set = VALUES.filter((name) => attribute[name] !== undefined);
  if (set.length === 0) return [invalidValue(path, '', `must specify one of: ${SHOWN_VALUES}`)];
  if (set.length > 1)
    return [invalidValue(path, `{${set.join(', ')}}`, `must specify exactly one of: ${SHOWN_VALUES}`)];
  const { version } = attribute;
  if (version === undefined || SEMVER.test(version)) return [];
  return [invalidValue(path.child('version'), version, 'must be a string compatible with semver.org spec 2.0.0')];
}

function validateDevice(device: Device, perDevice: boolean, path: FieldPath): FieldError[] {
  const attributes = path.child('attributes');
  const capacity = path.child('capacity');
  const names = [...Object.keys(device.attributes ?? {}), ...Object.keys(device.capacity ?? {})];
  const errors = [
    ...validateLabelName(device.name, path.child('name')),
    ...Object.entries(device.attributes ?? {}).flatMap(([key, attribute]) => [
      ...validateQualifiedKey(key, attributes),
      ...(cIdentifier(key.slice(key.indexOf('/') + 1)).length > 0
        ? []
        : validateAttribute(attribute, attributes.key(key))),
    ]),
    ...Object.keys(device.capacity ?? {}).flatMap((key) => validateQualifiedKey(key, capacity)),
    ...(names.length > MAX_ATTRIBUTES ? [tooMany(path, names.length, MAX_ATTRIBUTES)] : []),
    ...validateList(device.taints, MAX_TAINTS, path.child('taints'), validateTaint),
  ];
  const { nodeName, nodeSelector, allNodes } = device;
  const set = [nodeName, nodeSelector, allNodes].filter((place) => place !== undefined);
  const one =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (perDevice && set.length === 0) errors.push(required(path, one));
  if (perDevice && set.length > 1) errors.push(invalidValue(path, '', one));
  return errors;
}

/**
 * Validates the place of the devices of a slice. They are on one node, on the nodes of a selector, on all nodes, or
 * each device names its place.
 */
function validatePlace(spec: ResourceSliceSpec): FieldError[] {
  const { nodeName, nodeSelector, allNodes, perDeviceNodeSelection } = spec;
  const errors: FieldError[] = [];
  const set: string[] = [];
  if (nodeName !== undefined) {
    set.push('`nodeName`');
    append(
      errors,
      nodeName === ''
        ? [invalidValue(SPEC.child('nodeName'), nodeName, 'must be either unset or set to a non-empty string')]
        : dns1123Subdomain(nodeName).map((problem) => invalidValue(SPEC.child('nodeName'), nodeName, problem)),
    );
  }
  if (nodeSelector !== undefined) {
    set.push('`nodeSelector`');
    const at = SPEC.child('nodeSelector');
    const terms = nodeSelector.nodeSelectorTerms ?? [];
    append(
      errors,
      terms.length > 1
        ? [invalidValue(at.child('nodeSelectorTerms'), terms, 'must have exactly one node selector term')]
        : validateNodeSelector(nodeSelector, at),
    );
  }
  for (const [name, value] of Object.entries({ allNodes, perDeviceNodeSelection })) {
    if (value === true) set.push(`\`${name}\``);
    else if (value === false) errors.push(invalidValue(SPEC.child(name), value, 'must be either unset or set to true'));
  }
  const one = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (set.length === 0) errors.push(required(SPEC, one));
  if (set.length > 1) errors.push(invalidValue(SPEC, `{${set.join(', ')}}`, `${one}, but multiple fields are set`));
  return errors;
}

function validatePool({ pool }: ResourceSliceSpec): FieldError[] {
  const path = SPEC.child('pool');
  const errors = validatePoolName(pool.name, path.child('name'));
  if (Number(pool.resourceSliceCount) <= 0)
    errors.push(invalidValue(path.child('resourceSliceCount'), pool.resourceSliceCount, 'must be greater than zero'));
  if (Number(pool.generation) < 0)
    errors.push(invalidValue(path.child('generation'), pool.generation, 'must be greater than or equal to zero'));
  return errors;
}

function validate({ spec }: ResourceSlice): FieldError[] {
  const { devices, sharedCounters } = spec;
  const per = spec.perDeviceNodeSelection === true;
  const both = (devices ?? []).length > 0 && (sharedCounters ?? []).length > 0;
  return [
    ...validateDriver(spec.driver, SPEC.child('driver')),
    ...validatePool(spec),
    ...validatePlace(spec),
    ...validateList(devices, MAX_DEVICES, SPEC.child('devices'), (device, at) => validateDevice(device, per, at)),
    ...((devices ?? []).length > MAX_DEVICES ? [] : validateOnce(devices, SPEC.child('devices'), ({ name }) => name)),
    ...validateList(sharedCounters, MAX_COUNTER_SETS, SPEC.child('sharedCounters'), ({ name, counters }, at) => [
      ...validateLabelName(name, at.child('name')),
      ...(Object.keys(counters ?? {}).length === 0 ? [required(at.child('counters'))] : []),
    ]),
    ...(both ? [invalidValue(SPEC, '', 'only one of `sharedCounters` or `devices` is allowed')] : []),
  ];
}

/** Sets the present time for taints without a time. */
function dateTaints({ spec }: ResourceSlice, now: string): void {
  for (const taint of (spec?.devices ?? []).flatMap(({ taints }) => taints ?? [])) taint.timeAdded ??= now;
}

/** The kind of lists of devices that a driver has on one or several nodes. */
export const resourceSlice = defineKind('resource/resourceslices', {
  prepareForCreate: (object, { now }) => dateTaints(object, now),
  prepareForUpdate: (object, _old, { now }) => dateTaints(object, now),
  validate,
  validateUpdate: (object, old) => [
    ...validate(object),
    ...validateImmutable(object.spec.pool.name, old.spec.pool.name, SPEC.child('pool').child('name')),
    ...validateImmutable(object.spec.driver, old.spec.driver, SPEC.child('driver')),
    ...validateImmutable(object.spec.nodeName, old.spec.nodeName, SPEC.child('nodeName')),
    ...validateImmutable(object.spec.nodeSelector, old.spec.nodeSelector, SPEC.child('nodeSelector')),
    ...validateImmutable(object.spec.allNodes, old.spec.allNodes, SPEC.child('allNodes')),
  ],
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.driver': ({ spec }) => spec.driver,
  },
  cells: ({ metadata, spec }, { now }) => [
    metadata.name ?? '',
    spec.nodeName ?? '<unset>',
    spec.driver,
    spec.pool.name,
    age(metadata.creationTimestamp, now),
  ],
});
