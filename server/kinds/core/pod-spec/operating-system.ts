import { type FieldError, type FieldPath, forbiddenField, notSupported, required } from '#base/errors/field-error.ts';
import type { PodSecurityContext, PodSpec } from '#schema/generated/core.v1.ts';
import type { PodSpecContext } from './context.ts';
import { visitContainers } from './visit-containers.ts';

const SYSTEMS = ['linux', 'windows'];

/**
 * Fields that pods for Windows must not set, in the order of the error messages. `security` has those of the security
 * context. Since 1.37 these come first.
 */
const ONLY_LINUX_POD: readonly (
  | { readonly spec: 'hostUsers' | 'hostPID' | 'hostIPC' | 'shareProcessNamespace' }
  | { readonly security: keyof PodSecurityContext }
)[] = [
  { security: 'appArmorProfile' },
  { security: 'seLinuxOptions' },
  { spec: 'hostUsers' },
  { spec: 'hostPID' },
  { spec: 'hostIPC' },
  { security: 'seccompProfile' },
  { security: 'fsGroup' },
  { security: 'fsGroupChangePolicy' },
  { security: 'sysctls' },
  { spec: 'shareProcessNamespace' },
  { security: 'runAsUser' },
  { security: 'runAsGroup' },
  { security: 'supplementalGroups' },
  { security: 'supplementalGroupsPolicy' },
  { security: 'seLinuxChangePolicy' },
];
const SECURITY_FIRST = [
  ...ONLY_LINUX_POD.filter((only) => 'security' in only),
  ...ONLY_LINUX_POD.filter((only) => 'spec' in only),
];
const ONLY_LINUX_CONTAINER = [
  'appArmorProfile',
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

/** Validates that a pod sets no fields of another operating system. `path` leads to the spec. */
export function validateOperatingSystem(
  spec: PodSpec,
  path: FieldPath,
  { release }: Pick<PodSpecContext, 'release'>,
): FieldError[] {
  const name = spec.os?.name ?? '';
  if (spec.os == null) return [];
  if (name === '') return [required(path.child('os', 'name'), 'cannot be empty')];
  if (!SYSTEMS.includes(name)) return [notSupported(path.child('os'), name, SYSTEMS)];
  return name === 'linux'
    ? validateLinux(spec, path)
    : validateWindows(spec, path, release.atLeast(37) ? SECURITY_FIRST : ONLY_LINUX_POD);
}

function validateLinux(spec: PodSpec, path: FieldPath): FieldError[] {
  const detail = 'windows options cannot be set for a linux pod';
  return [{ container: spec, path }, ...visitContainers(spec, path)]
    .filter(({ container }) => container.securityContext?.windowsOptions != null)
    .map(({ path: at }) => forbiddenField(at.child('securityContext', 'windowsOptions'), detail));
}

function validateWindows(spec: PodSpec, path: FieldPath, onlyLinux: typeof ONLY_LINUX_POD): FieldError[] {
  const refuse = (at: FieldPath) => forbiddenField(at, 'cannot be set for a windows pod');
  const ofPod = spec.securityContext ?? {};
  const isSet = (value: unknown) => value != null && !(Array.isArray(value) && value.length === 0);
  return [
    ...onlyLinux.flatMap((only) => {
      if ('security' in only)
        return isSet(ofPod[only.security]) ? [refuse(path.child('securityContext', only.security))] : [];
      const value = spec[only.spec];
      // For these two fields, false means the same as unset.
      const set = only.spec === 'hostPID' || only.spec === 'hostIPC' ? value === true : value != null;
      return set ? [refuse(path.child(only.spec))] : [];
    }),
    ...visitContainers(spec, path).flatMap(({ container, path: at }) =>
      ONLY_LINUX_CONTAINER.filter((field) => container.securityContext?.[field] != null).map((field) =>
        refuse(at.child('securityContext', field)),
      ),
    ),
  ];
}
