import { append } from '#base/collections/append.ts';
import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { PodSpec, SecurityContext, Sysctl } from '#schema/generated/core.v1.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import type { Count } from '#schema/validation/numbers.ts';
import { validateAppArmorProfile } from './app-armor.ts';
import type { PodSpecContext } from './context.ts';
import { validateSeccompProfile } from './seccomp.ts';
import { visitContainers } from './visit-containers.ts';
import { validateWindowsOptions } from './windows.ts';

const GROUP_CHANGES = ['Always', 'OnRootMismatch'];
const PROC_MOUNTS = ['Default', 'Unmasked'];
const SYSCTL = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const MAX_SYSCTL = bounds['core.v1.Sysctl'].name.maxLength;
const NOT_ALLOWED = 'disallowed by cluster policy';
const sysctlPattern = new RegExp(SYSCTL);

/** Validates a user or group number. */
function validateId(id: Count | null | undefined, path: FieldPath): FieldError[] {
  return validateBound(id, bounds['core.v1.SecurityContext'].runAsUser, path);
}

function validateSysctls(sysctls: readonly Sysctl[], path: FieldPath): FieldError[] {
  const names = new Set<string>();
  return sysctls.flatMap(({ name = '' }, i) => {
    const at = path.index(i).child('name');
    if (name === '') return [required(at)];
    if (name.length > MAX_SYSCTL || !sysctlPattern.test(name)) {
      return [invalidValue(at, name, `must have at most ${MAX_SYSCTL} characters and match regex ${SYSCTL}`)];
    }
    if (names.has(name)) return [duplicate(at, name)];
    names.add(name);
    return [];
  });
}

const GROUP_POLICIES = ['Merge', 'Strict'];
const LABEL_CHANGES = ['MountOption', 'Recursive'];

/** Validates ports of containers on the host's network. They must be the ports of the host. */
function validateHostNetwork(spec: PodSpec, path: FieldPath): FieldError[] {
  if (spec.hostNetwork !== true) return [];
  return (spec.containers ?? []).flatMap((container, i) =>
    (container.ports ?? []).flatMap(({ hostPort = 0, containerPort = 0 }, j) => {
      if (hostPort === containerPort) return [];
      const at = path.index(i).child('ports').index(j);
      const later = invalidValue(
        at.child('hostPort'),
        hostPort,
        'must match `containerPort` when `hostNetwork` is true',
      );
      const why = 'must match `hostPort` when `hostNetwork` is true';
      return [{ ...invalidValue(at.child('containerPort'), containerPort, why), since: [[29, later]] as const }];
    }),
  );
}

/**
 * Validates the rights of all containers of a pod, and which namespaces of the host they share. `path` leads to the
 * spec.
 */
export function validatePodSecurity(
  spec: PodSpec,
  path: FieldPath,
  podContext: Pick<PodSpecContext, 'release'>,
): FieldError[] {
  const errors = validateHostNetwork(spec, path.child('containers'));
  const context = spec.securityContext ?? {};
  const at = path.child('securityContext');
  append(errors, validateId(context.fsGroup, at.child('fsGroup')));
  append(errors, validateId(context.runAsUser, at.child('runAsUser')));
  append(errors, validateId(context.runAsGroup, at.child('runAsGroup')));
  (context.supplementalGroups ?? []).forEach((group, i) => {
    append(errors, validateId(group, at.child('supplementalGroups').index(i)));
  });
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
    errors.push(invalidValue(at.child('shareProcessNamespace'), true, detail));
  }
  const { supplementalGroupsPolicy: groupsPolicy, seLinuxChangePolicy: labels } = context;
  if (groupsPolicy !== undefined && !GROUP_POLICIES.includes(groupsPolicy))
    errors.push(notSupported(at.child('supplementalGroupsPolicy'), groupsPolicy, GROUP_POLICIES));
  if (labels !== undefined && !LABEL_CHANGES.includes(labels))
    errors.push(notSupported(at.child('seLinuxChangePolicy'), labels, LABEL_CHANGES));
  append(errors, validateSysctls(context.sysctls ?? [], at.child('sysctls')));
  const change = context.fsGroupChangePolicy;
  if (change != null && !GROUP_CHANGES.includes(change)) {
    errors.push(notSupported(at.child('fsGroupChangePolicy'), change, GROUP_CHANGES));
  }
  append(errors, validateSeccompProfile(context.seccompProfile, at.child('seccompProfile')));
  append(errors, validateWindowsOptions(context.windowsOptions, at.child('windowsOptions')));
  append(errors, validateAppArmorProfile(context.appArmorProfile, at.child('appArmorProfile')));
  append(errors, validateProcMounts(spec, path, podContext), validateHostUsers(spec, path, podContext));
  return errors;
}

/** Fields that share namespaces with the host, with their names, in the order of the error messages since 1.34. */
const HOST_SHARING = [
  ['hostNetwork', 'hostNetwork'],
  ['hostPID', 'HostPID'],
  ['hostIPC', 'HostIPC'],
] as const;

/**
 * Validates a pod with its own user namespace. It cannot share namespaces of the host, and since 1.34 it cannot have
 * block devices.
 */
function validateHostUsers(spec: PodSpec, path: FieldPath, { release }: Pick<PodSpecContext, 'release'>): FieldError[] {
  if (spec.hostUsers !== false) return [];
  if (!release.atLeast(34)) {
    const shared = (['hostPID', 'hostIPC', 'hostNetwork'] as const).filter((field) => spec[field] === true);
    return shared.map((field) => forbiddenField(path.child(field), 'when `pod.Spec.HostUsers` is false'));
  }
  const detail = 'when `hostUsers` is false';
  return [
    ...HOST_SHARING.filter(([field]) => spec[field] === true).map(([, shown]) =>
      forbiddenField(path.child(shown), detail),
    ),
    ...visitContainers(spec, path).flatMap(({ container, path: at }) =>
      (container.volumeDevices ?? []).length > 0 ? [forbiddenField(at.child('volumeDevices'), detail)] : [],
    ),
  ];
}

/** Since 1.30, validates that only pods with their own user namespace see all of `/proc`. */
function validateProcMounts(
  spec: PodSpec,
  path: FieldPath,
  { release }: Pick<PodSpecContext, 'release'>,
): FieldError[] {
  if (spec.hostUsers === false || !release.atLeast(30)) return [];
  return visitContainers(spec, path).flatMap(({ container, path: at }) =>
    container.securityContext?.procMount === 'Unmasked'
      ? [
          invalidValue(
            at.child('securityContext', 'procMount'),
            'Unmasked',
            '`hostUsers` must be false to use `Unmasked`',
          ),
        ]
      : [],
  );
}

/** Validates the rights of one container. */
export function validateContainerSecurity(
  context: SecurityContext | null | undefined,
  path: FieldPath,
  { allowPrivileged }: Pick<PodSpecContext, 'allowPrivileged'>,
): FieldError[] {
  if (context == null) return [];
  const refused = context.privileged === true && allowPrivileged === false;
  const errors = [
    ...(refused ? [forbiddenField(path.child('privileged'), NOT_ALLOWED)] : []),
    ...validateId(context.runAsUser, path.child('runAsUser')),
    ...validateId(context.runAsGroup, path.child('runAsGroup')),
  ];
  if (context.procMount != null && !PROC_MOUNTS.includes(context.procMount)) {
    errors.push(notSupported(path.child('procMount'), context.procMount, PROC_MOUNTS));
  }
  append(errors, validateSeccompProfile(context.seccompProfile, path.child('seccompProfile')));
  if (context.allowPrivilegeEscalation === false) {
    const refuse = (other: string) =>
      errors.push(invalidValue(path, context, `cannot set \`allowPrivilegeEscalation\` to false and ${other}`));
    if (context.privileged === true) refuse('`privileged` to true');
    if ((context.capabilities?.add ?? []).includes('CAP_SYS_ADMIN')) refuse('`capabilities.Add` CAP_SYS_ADMIN');
  }
  return [
    ...errors,
    ...validateWindowsOptions(context.windowsOptions, path.child('windowsOptions')),
    ...validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile')),
  ];
}
