import type { Naming } from '#base/naming/naming.ts';
import type { SELinuxOptions } from '#schema/generated/core.v1.ts';
import {
  allContainers,
  type Check,
  type Control,
  containersThat,
  counted,
  type PodToEvaluate,
  plural,
  quoted,
  setters,
  sorted,
} from './controls.ts';
import { seccompBaseline } from './seccomp-controls.ts';

const DEFAULT_CAPABILITIES = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);
const SELINUX_TYPES = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t']);
const SAFE_SYSCTLS = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
]);

function appArmor(naming: Naming): Check {
  const prefix = naming.key('container.apparmor.security.beta/');
  const allowed = (value: string) => value === '' || value === 'runtime/default' || value.startsWith('localhost/');
  return ({ annotations }) => {
    const forbidden = Object.entries(annotations)
      .filter(([key, value]) => key.startsWith(prefix) && !allowed(value))
      .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
      .sort();
    if (forbidden.length === 0) return undefined;
    return { reason: plural('forbidden AppArmor profile', forbidden), detail: forbidden.join(', ') };
  };
}

const capabilities: Check = (pod) => {
  const added = (container: ReturnType<typeof allContainers>[number]) =>
    (container.securityContext?.capabilities?.add ?? []).filter((name) => !DEFAULT_CAPABILITIES.has(name));
  const bad = containersThat(pod, (container) => added(container).length > 0);
  if (bad.length === 0) return undefined;
  const names = quoted(sorted(allContainers(pod.spec).flatMap(added)));
  return {
    reason: 'non-default capabilities',
    detail: `${counted('container', bad)} must not include ${names} in securityContext.capabilities.add`,
  };
};

const hostNamespaces: Check = ({ spec }) => {
  const set = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true);
  if (set.length === 0) return undefined;
  return { reason: 'host namespaces', detail: set.map((field) => `${field}=true`).join(', ') };
};

const hostPathVolumes: Check = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter((volume) => volume.hostPath !== undefined).map((volume) => volume.name);
  return bad.length === 0 ? undefined : { reason: 'hostPath volumes', detail: counted('volume', bad) };
};

const hostPorts: Check = (pod) => {
  const portsOf = (container: ReturnType<typeof allContainers>[number]) =>
    (container.ports ?? []).flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)]));
  const bad = containersThat(pod, (container) => portsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const ports = sorted(allContainers(pod.spec).flatMap(portsOf));
  const uses = bad.length === 1 ? 'uses' : 'use';
  return {
    reason: 'hostPort',
    detail: `${counted('container', bad)} ${uses} ${plural('hostPort', ports)} ${ports.join(', ')}`,
  };
};

const privileged: Check = (pod) => {
  const bad = containersThat(pod, ({ securityContext }) => securityContext?.privileged === true);
  if (bad.length === 0) return undefined;
  return { reason: 'privileged', detail: `${counted('container', bad)} must not set securityContext.privileged=true` };
};

const procMount: Check = (pod) => {
  const mountOf = (container: ReturnType<typeof allContainers>[number]) =>
    container.securityContext?.procMount ?? 'Default';
  const bad = containersThat(pod, (container) => mountOf(container) !== 'Default');
  if (bad.length === 0) return undefined;
  const mounts = sorted(allContainers(pod.spec).map(mountOf)).filter((mount) => mount !== 'Default');
  return {
    reason: 'procMount',
    detail: `${counted('container', bad)} must not set securityContext.procMount to ${quoted(mounts)}`,
  };
};

const seLinux: Check = (pod) => {
  const badTypes = new Set<string>();
  let user = false;
  let role = false;
  const bad = (options: SELinuxOptions | undefined): boolean => {
    const type = options?.type ?? '';
    const hasUser = (options?.user ?? '') !== '';
    const hasRole = (options?.role ?? '') !== '';
    if (!SELINUX_TYPES.has(type)) badTypes.add(type);
    user ||= hasUser;
    role ||= hasRole;
    return !SELINUX_TYPES.has(type) || hasUser || hasRole;
  };
  const podIsBad = bad(pod.spec.securityContext?.seLinuxOptions);
  const who = setters(
    podIsBad,
    containersThat(pod, ({ securityContext }) => bad(securityContext?.seLinuxOptions)),
  );
  if (who === '') return undefined;
  const types = sorted(badTypes);
  // Clients expect the user and the role in the message only together with a type.
  const what = types.length === 0 ? [] : [counted('type', types)];
  if (types.length > 0 && user) what.push('user may not be set');
  if (types.length > 0 && role) what.push('role may not be set');
  return {
    reason: 'seLinuxOptions',
    detail: `${who} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`,
  };
};

const sysctls: Check = ({ spec }) => {
  const bad = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !SAFE_SYSCTLS.has(name));
  return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
};

const hostProcess: Check = (pod: PodToEvaluate) => {
  const who = setters(
    pod.spec.securityContext?.windowsOptions?.hostProcess === true,
    containersThat(pod, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true),
  );
  if (who === '') return undefined;
  return { reason: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
};

/** The controls of the baseline, in the order of violations in messages. */
export function baselineControls(naming: Naming): readonly Control[] {
  const always = (id: string, check: Check): Control => ({ id, forms: [{ since: 0, check }] });
  return [
    always('appArmorProfile', appArmor(naming)),
    always('capabilities', capabilities),
    always('hostNamespaces', hostNamespaces),
    always('hostPathVolumes', hostPathVolumes),
    always('hostPorts', hostPorts),
    always('privileged', privileged),
    always('procMount', procMount),
    always('seLinuxOptions', seLinux),
    seccompBaseline(naming),
    always('sysctls', sysctls),
    always('windowsHostProcess', hostProcess),
  ];
}
