import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  notSupported,
  required,
} from '../../../errors/field-error.ts';
import type { PodSpec } from '../../../schema/generated/core.v1.ts';
import { visitContainers } from './visit-containers.ts';

const SYSTEMS = ['linux', 'windows'];
const ONLY_LINUX_POD = [
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
] as const;
const ONLY_LINUX_CONTAINER = [
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

/** The system a pod says it is for: it may not set what only the other one has. `path` is that of the spec. */
export function validateOperatingSystem(spec: PodSpec, path: FieldPath): FieldError[] {
  const name = spec.os?.name ?? '';
  if (spec.os == null) return [];
  if (name === '') return [required(path.child('os', 'name'), 'cannot be empty')];
  if (!SYSTEMS.includes(name)) return [notSupported(path.child('os'), name, SYSTEMS)];
  return name === 'linux' ? validateLinux(spec, path) : validateWindows(spec, path);
}

function validateLinux(spec: PodSpec, path: FieldPath): FieldError[] {
  const detail = 'windows options cannot be set for a linux pod';
  return [{ container: spec, path }, ...visitContainers(spec, path)]
    .filter(({ container }) => container.securityContext?.windowsOptions != null)
    .map(({ path: at }) => forbiddenField(at.child('securityContext', 'windowsOptions'), detail));
}

function validateWindows(spec: PodSpec, path: FieldPath): FieldError[] {
  const refuse = (at: FieldPath) => forbiddenField(at, 'cannot be set for a windows pod');
  const ofPod = spec.securityContext ?? {};
  const isSet = (value: unknown) => value != null && !(Array.isArray(value) && value.length === 0);
  return [
    ...(['hostPID', 'hostIPC'] as const)
      .filter((field) => spec[field] === true)
      .map((field) => refuse(path.child(field))),
    ...ONLY_LINUX_POD.filter((field) => isSet(ofPod[field])).map((field) =>
      refuse(path.child('securityContext', field)),
    ),
    ...(spec.shareProcessNamespace != null ? [refuse(path.child('shareProcessNamespace'))] : []),
    ...(spec.hostUsers != null ? [refuse(path.child('hostUsers'))] : []),
    ...visitContainers(spec, path).flatMap(({ container, path: at }) =>
      ONLY_LINUX_CONTAINER.filter((field) => container.securityContext?.[field] != null).map((field) =>
        refuse(at.child('securityContext', field)),
      ),
    ),
  ];
}
