import {
  allContainers,
  type Check,
  type Control,
  containersThat,
  counted,
  exceptWindows,
  plural,
  quoted,
  setters,
  sorted,
} from './controls.ts';
import { seccompRestricted } from './seccomp-controls.ts';

const ADDABLE = 'NET_BIND_SERVICE';
/** The allowed types of volumes. */
const VOLUME_TYPES = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

const allowPrivilegeEscalation: Check = (pod) => {
  const bad = containersThat(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${counted('container', bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const capabilities: Check = (pod) => {
  const keeping = containersThat(
    pod,
    ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes('ALL'),
  );
  const added = (container: ReturnType<typeof allContainers>[number]) =>
    (container.securityContext?.capabilities?.add ?? []).filter((name) => name !== ADDABLE);
  const adding = containersThat(pod, (container) => added(container).length > 0);
  const details: string[] = [];
  if (keeping.length > 0) {
    details.push(`${counted('container', keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  }
  if (adding.length > 0) {
    const names = quoted(sorted(allContainers(pod.spec).flatMap(added)));
    details.push(`${counted('container', adding)} must not include ${names} in securityContext.capabilities.add`);
  }
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const volumeTypes: Check = ({ spec }) => {
  const bad: string[] = [];
  const types = new Set<string>();
  for (const { name, ...sources } of spec.volumes ?? []) {
    const [type = 'unknown'] = Object.keys(sources);
    if (VOLUME_TYPES.has(type)) continue;
    bad.push(name);
    types.add(type);
  }
  if (bad.length === 0) return undefined;
  const uses = bad.length === 1 ? 'uses' : 'use';
  const what = `${plural('restricted volume type', [...types])} ${quoted(sorted(types))}`;
  return { reason: 'restricted volume types', detail: `${counted('volume', bad)} ${uses} ${what}` };
};

const runAsNonRoot: Check = (pod) => {
  const reason = 'runAsNonRoot != true';
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const refusing = containersThat(pod, ({ securityContext }) => securityContext?.runAsNonRoot === false);
  const who = setters(ofPod === false, refusing);
  if (who !== '') return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  if (ofPod === true) return undefined;
  const silent = containersThat(pod, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${counted('container', silent)} must set securityContext.runAsNonRoot=true` };
};

const runAsUser: Check = (pod) => {
  const who = setters(
    pod.spec.securityContext?.runAsUser === 0,
    containersThat(pod, ({ securityContext }) => securityContext?.runAsUser === 0),
  );
  return who === '' ? undefined : { reason: 'runAsUser=0', detail: `${who} must not set runAsUser=0` };
};

/** The controls of the restricted level in addition to the baseline, in the order of violations in messages. */
export const restrictedControls: readonly Control[] = [
  {
    id: 'allowPrivilegeEscalation',
    forms: [
      { since: 8, check: allowPrivilegeEscalation },
      { since: 25, check: exceptWindows(allowPrivilegeEscalation) },
    ],
  },
  {
    id: 'capabilitiesRestricted',
    replaces: 'capabilities',
    forms: [
      { since: 22, check: capabilities },
      { since: 25, check: exceptWindows(capabilities) },
    ],
  },
  { id: 'restrictedVolumes', replaces: 'hostPathVolumes', forms: [{ since: 0, check: volumeTypes }] },
  { id: 'runAsNonRoot', forms: [{ since: 0, check: runAsNonRoot }] },
  { id: 'runAsUser', forms: [{ since: 23, check: runAsUser }] },
  seccompRestricted,
];
