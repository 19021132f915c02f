import {
  type FieldError,
  type FieldPath,
  fieldNotFound,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { Container, Volume, VolumeMount } from '#schema/generated/core.v1.ts';
import { validateLocalPath, validateNoBacksteps } from './file-paths.ts';
import { isBlockSource } from './volumes.ts';

const RECURSIONS = ['Disabled', 'Enabled', 'IfPossible'];
const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];

/**
 * Validates the mount points of a container's folders and block devices. Each must be unique, and its volume must
 * exist.
 */
export function validateMounts(
  container: Pick<Container, 'volumeMounts' | 'volumeDevices' | 'securityContext'>,
  volumes: ReadonlyMap<string, Volume>,
  path: FieldPath,
): FieldError[] {
  return [
    ...validateFolders(container, volumes, path.child('volumeMounts')),
    ...validateDevices(container, volumes, path.child('volumeDevices')),
  ];
}

function validateFolders(
  {
    volumeMounts,
    volumeDevices,
    securityContext,
  }: Pick<Container, 'volumeMounts' | 'volumeDevices' | 'securityContext'>,
  volumes: ReadonlyMap<string, Volume>,
  path: FieldPath,
): FieldError[] {
  const taken = new Set<string>();
  const devices = new Set((volumeDevices ?? []).map(({ name }) => name));
  const devicePaths = new Set((volumeDevices ?? []).map(({ devicePath }) => devicePath));
  return (volumeMounts ?? []).flatMap((mount, i) => {
    const { name = '', mountPath = '' } = mount;
    const errors: FieldError[] = [];
    const at = path.index(i);
    if (name === '') errors.push(required(at.child('name')));
    if (!volumes.has(name)) errors.push(fieldNotFound(at.child('name'), name));
    if (mountPath === '') errors.push(required(at.child('mountPath')));
    if (taken.has(mountPath)) errors.push(invalidValue(at.child('mountPath'), mountPath, 'must be unique'));
    taken.add(mountPath);
    if (devices.has(name)) {
      errors.push(invalidValue(at.child('name'), name, 'must not already exist in volumeDevices'));
    }
    if (devicePaths.has(mountPath)) {
      const detail = 'must not already exist as a path in volumeDevices';
      errors.push(invalidValue(at.child('mountPath'), mountPath, detail));
    }
    return [
      ...errors,
      ...validateSubPaths(mount, at, path),
      ...validatePropagation(mount, securityContext, path),
      ...validateRecursion(mount, path),
    ];
  });
}

function validateSubPaths({ subPath, subPathExpr }: VolumeMount, at: FieldPath, path: FieldPath): FieldError[] {
  const errors = subPath ? validateLocalPath(subPath, path.child('subPath')) : [];
  if (!subPathExpr) return errors;
  if (subPath) {
    const detail = 'subPathExpr and subPath are mutually exclusive';
    errors.push(invalidValue(at.child('subPathExpr'), subPathExpr, detail));
  }
  return [...errors, ...validateLocalPath(subPathExpr, path.child('subPathExpr'))];
}

function validatePropagation(
  { mountPropagation }: VolumeMount,
  securityContext: Container['securityContext'],
  path: FieldPath,
): FieldError[] {
  if (mountPropagation == null) return [];
  const at = path.child('mountPropagation');
  if (!PROPAGATIONS.includes(mountPropagation)) return [notSupported(at, mountPropagation, PROPAGATIONS)];
  if (mountPropagation !== 'Bidirectional' || securityContext?.privileged === true) return [];
  return [forbiddenField(at, 'Bidirectional mount propagation is available only to privileged containers')];
}

/** Validates mounts whose inner mounts are read-only too. The mount itself must then be read-only. */
function validateRecursion(
  { recursiveReadOnly: how, readOnly, mountPropagation }: VolumeMount,
  path: FieldPath,
): FieldError[] {
  if (how === undefined || how === 'Disabled') return [];
  const at = path.child('recursiveReadOnly');
  if (!RECURSIONS.includes(how)) return [notSupported(at, how, RECURSIONS)];
  if (readOnly !== true) return [forbiddenField(at, 'may only be specified when readOnly is true')];
  if ((mountPropagation ?? 'None') === 'None') return [];
  return [forbiddenField(at, 'may only be specified when mountPropagation is None or not specified')];
}

function validateDevices(
  { volumeMounts, volumeDevices }: Pick<Container, 'volumeMounts' | 'volumeDevices'>,
  volumes: ReadonlyMap<string, Volume>,
  path: FieldPath,
): FieldError[] {
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounted = new Set((volumeMounts ?? []).map((mount) => mount.name));
  const mountPaths = new Set((volumeMounts ?? []).map(({ mountPath }) => mountPath));
  return (volumeDevices ?? []).flatMap(({ name = '', devicePath = '' }, i) => {
    const errors: FieldError[] = [];
    const at = path.index(i);
    const refuse = (field: string, value: string, detail: string) =>
      errors.push(invalidValue(at.child(field), value, detail));
    const volume = volumes.get(name);
    if (name === '') errors.push(required(at.child('name')));
    if (names.has(name)) refuse('name', name, 'must be unique');
    if (volume === undefined) {
      errors.push(fieldNotFound(at.child('name'), name));
    } else if (!isBlockSource(volume)) {
      refuse('name', name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode');
    }
    if (devicePath === '') errors.push(required(at.child('devicePath')));
    if (paths.has(devicePath)) refuse('devicePath', devicePath, 'must be unique');
    if (validateNoBacksteps(devicePath, at).length > 0) {
      refuse('devicePath', devicePath, "can not contain backsteps ('..')");
    } else {
      paths.add(devicePath);
    }
    if (mounted.has(name)) {
      refuse('name', name, 'must not already exist in volumeMounts');
    }
    if (mountPaths.has(devicePath)) {
      refuse('devicePath', devicePath, 'must not already exist as a path in volumeMounts');
    }
    if (name !== '') names.add(name);
    return errors;
  });
}
