import { append } from '#base/collections/append.ts';
import {
  declared,
  duplicate,
  type FieldError,
  FieldPath,
  invalidValue,
  required,
  tooLong,
} from '#base/errors/field-error.ts';
import { resourceClaimVersions } from '#schema/conversion/resource/claims.ts';
import type { AllocationResult, NetworkDeviceData, ResourceClaim } from '#schema/generated/resource.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { validateConditions } from '#schema/validation/conditions.ts';
import { age } from '#schema/validation/human-duration.ts';
import { fixedByRule, IMMUTABLE, semanticallyEqual } from '#schema/validation/immutable.ts';
import { canonicalIp, parseCidr } from '#schema/validation/ip.ts';
import { validateNodeSelector } from '#schema/validation/node-selector.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { keepAllButStatus, METADATA_AND_SPEC } from '../status-view.ts';
import { adminAccessError, requestNames, validateAdminAccess, validateClaimSpec } from './claim-spec.ts';
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
const MAX_INTERFACE_NAME = bounds['resource.v1.NetworkDeviceData'].interfaceName.maxLength;
const MAX_HARDWARE_ADDRESS = bounds['resource.v1.NetworkDeviceData'].hardwareAddress.maxLength;
const MAX_IPS = 16;

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
      ...declared(validateDriver(result.driver, at.child('driver'))),
      ...declared(validatePoolName(result.pool, at.child('pool'))),
      ...validateLabelName(result.device, at.child('device')),
    ],
  );
  const { nodeSelector } = allocation;
  if (nodeSelector === undefined) return results;
  const at = path.child('nodeSelector');
  return [...results, ...validateNodeSelector(nodeSelector, at)];
}

/** Validates an address of a network device, with the length of its network, in the canonical form of its family. */
function validateInterfaceAddress(text: string, path: FieldPath): FieldError[] {
  const range = parseCidr(text);
  if (range === undefined)
    return [invalidValue(path, text, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')];
  const canonical = `${canonicalIp(range.address)}/${range.bits}`;
  return canonical === text
    ? []
    : [invalidValue(path, text, `must be in canonical form (${JSON.stringify(canonical)})`)];
}

function validateNetworkData(data: NetworkDeviceData | undefined, path: FieldPath): FieldError[] {
  const { interfaceName = '', hardwareAddress = '', ips = [] } = data ?? {};
  const long = (text: string, max: number, name: string) =>
    Buffer.byteLength(text) > max ? declared([tooLong(path.child(name), '', max)]) : [];
  return [
    ...long(interfaceName, MAX_INTERFACE_NAME, 'interfaceName'),
    ...long(hardwareAddress, MAX_HARDWARE_ADDRESS, 'hardwareAddress'),
    ...validateList(ips, MAX_IPS, path.child('ips'), validateInterfaceAddress),
    ...(ips.length > MAX_IPS ? [] : declared(validateOnce(ips, path.child('ips'), (text) => text))),
  ];
}

/**
 * Validates admin access to devices that others use. It requires a label on the namespace, unless the claim already has
 * such a device.
 */
function validateAdminResults(object: ResourceClaim, old: ResourceClaim, context: WriteContext): FieldError[] {
  const asked = ({ status }: ResourceClaim) =>
    (status?.allocation?.devices?.results ?? []).findIndex(({ adminAccess }) => adminAccess === true);
  const first = asked(object);
  if (first < 0 || asked(old) >= 0) return [];
  const path = STATUS.child('allocation', 'devices', 'results').index(first).child('adminAccess');
  return adminAccessError(path, context);
}

function validateStatus(object: ResourceClaim, old: ResourceClaim, context: WriteContext): FieldError[] {
  const { allocation, reservedFor, devices } = object.status ?? {};
  const errors = validateAdminResults(object, old, context);
  append(
    errors,
    validateList(reservedFor, MAX_CONSUMERS, STATUS.child('reservedFor'), ({ resource, name, uid }, at) =>
      Object.entries({ resource, name, uid }).flatMap(([field, value]) =>
        value === '' ? [required(at.child(field))] : [],
      ),
    ),
    declared(validateOnce(reservedFor, STATUS.child('reservedFor'), ({ uid }) => uid)),
  );
  const allocated = new Set(
    (allocation?.devices?.results ?? []).map(({ driver, pool, device }) => `${driver}/${pool}/${device}`),
  );
  const seen = new Set<string>();
  (devices ?? []).forEach((device, i) => {
    const at = STATUS.child('devices').index(i);
    const id = `${device.driver}/${device.pool}/${device.device}`;
    if (!allocated.has(id)) errors.push(invalidValue(at, id, 'must be an allocated device in the claim'));
    if (seen.has(id)) append(errors, declared([duplicate(at, device)]));
    seen.add(id);
    append(
      errors,
      validateConditions(device.conditions, at.child('conditions'), context.release),
      validateNetworkData(device.networkData, at.child('networkData')),
    );
  });
  if (allocation !== undefined && !semanticallyEqual(allocation, old.status?.allocation)) {
    const path = STATUS.child('allocation');
    if (old.status?.allocation !== undefined) append(errors, declared([invalidValue(path, allocation, IMMUTABLE)]));
    else append(errors, validateAllocation(allocation, requestNames(object.spec ?? {}), path));
  }
  return errors;
}

/** The state of a claim, such as `allocated,reserved`, `deleted,allocated` or `pending`. */
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

/** The kind of requests for devices. It also lists the allocated devices. */
export const resourceClaim = defineKind('resource/resourceclaims', {
  versions: resourceClaimVersions,
  validate: ({ spec }, context) => [
    ...validateClaimSpec(spec ?? {}, SPEC, context.release),
    ...validateAdminAccess(spec ?? {}, context),
  ],
  validateUpdate: (object, old) =>
    semanticallyEqual(object.spec, old.spec) ? [] : [fixedByRule(invalidValue(SPEC, object.spec, IMMUTABLE))],
  statusResets: METADATA_AND_SPEC,
  subresources: { status: { prepareForUpdate: keepAllButStatus, validateUpdate: validateStatus } },
  cells: (object, { now }) => [
    object.metadata.name ?? '',
    stateText(object),
    age(object.metadata.creationTimestamp, now),
  ],
});
