import { askedBefore } from '#base/collections/asked-before.ts';
import { duplicate, type FieldError, FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { CSINodeDriver } from '#schema/generated/storage.v1.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { validateDriverName } from '#schema/validation/driver-name.ts';
import { age } from '#schema/validation/human-duration.ts';
import { IMMUTABLE, semanticallyEqual } from '#schema/validation/immutable.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { qualifiedName } from '#schema/validation/names.ts';
import { defineKind } from '../define-kind.ts';
import { keepAllButStatus, METADATA_AND_SPEC } from '../status-view.ts';

const MAX_NODE_ID = bounds['storage.v1.CSINodeDriver'].nodeID.maxLength;

function validateNodeId(id: string, path: FieldPath): FieldError[] {
  if (id === '') return [required(path)];
  return Buffer.byteLength(id) > MAX_NODE_ID
    ? [invalidValue(path, id, `must be ${MAX_NODE_ID} characters or less`)]
    : [];
}

/** Validates the label keys by which a driver distinguishes places. Errors are at the driver. */
function validateTopologyKeys(keys: readonly string[], path: FieldPath): FieldError[] {
  const again = askedBefore<string>();
  return keys.flatMap((key) => [
    ...(key === '' ? [required(path)] : []),
    ...(again(key) ? [duplicate(path, key)] : []),
    ...qualifiedName(key).map((problem) => invalidValue(path, key, problem)),
  ]);
}

function validateDrivers(drivers: readonly CSINodeDriver[]): FieldError[] {
  const path = new FieldPath('spec').child('drivers');
  const again = askedBefore<string>();
  return drivers.flatMap((driver, i) => {
    const at = path.index(i);
    return [
      ...validateDriverName(driver.name, at.child('name')),
      ...validateNodeId(driver.nodeID, at.child('nodeID')),
      ...validateBound(
        driver.allocatable?.count,
        bounds['storage.v1.VolumeNodeResources'].count,
        at.child('allocatable', 'count'),
      ),
      ...(again(driver.name) ? [duplicate(at.child('name'), driver.name)] : []),
      ...validateTopologyKeys(driver.topologyKeys ?? [], at),
    ];
  });
}

/** The kind of lists of volume drivers that run on a node. */
export const csiNode = defineKind('storage/csinodes', {
  ignoresMetadataChange: true,
  validate: ({ spec }) => validateDrivers(spec.drivers ?? []),
  validateUpdate(object, old, { naming, gates }) {
    const drivers = object.spec.drivers ?? [];
    const whole = [...validateKindMetadata(object, { namespaced: false }, naming), ...validateDrivers(drivers)];
    const mayCount = gates.enabled('MutableCSINodeAllocatableCount');
    const fixed = (driver: CSINodeDriver) => (mayCount ? { ...driver, allocatable: undefined } : driver);
    const path = mayCount ? 'spec.drivers' : 'CSINodeDriver';
    // A stored object has each driver once.
    const stored = new Map((old.spec.drivers ?? []).map((driver, place) => [driver.name, { driver, place }]));
    const changed = drivers
      .flatMap((driver) => {
        const before = stored.get(driver.name);
        const same = before === undefined || semanticallyEqual(fixed(driver), fixed(before.driver));
        return same ? [] : [{ driver, place: before.place }];
      })
      // Clients see them in the stored order.
      .sort((a, b) => a.place - b.place)
      .map(({ driver }) => driver);
    return [...whole, ...whole, ...changed.map((driver) => invalidValue(path, driver, IMMUTABLE))];
  },
  statusResets: METADATA_AND_SPEC,
  subresources: { status: { prepareForUpdate: keepAllButStatus } },
  cells: ({ metadata, spec }, { now }) => [
    metadata.name ?? '',
    (spec.drivers ?? []).length,
    age(metadata.creationTimestamp, now),
  ],
});
