import { type AdmissionPlugin, handling } from '../plugin.ts';
import { podOf } from '../pod-of.ts';
import { refusal } from '../refusal.ts';

const POD_FIELDS = [
  ['supplementalGroups', 'SupplementalGroups'],
  ['seLinuxOptions', 'SELinuxOptions'],
  ['runAsUser', 'RunAsUser'],
  ['fsGroup', 'FSGroup'],
] as const;
const CONTAINER_FIELDS = [
  ['seLinuxOptions', 'SELinuxOptions'],
  ['runAsUser', 'RunAsUser'],
] as const;

/** Refuses pods that choose users, groups or SELinux options themselves. */
export function securityContextDeny(): AdmissionPlugin {
  return {
    name: 'SecurityContextDeny',
    handles: handling('', 'pods', ['CREATE', 'UPDATE']),
    validate(request) {
      const { spec } = podOf(request);
      for (const [field, shown] of POD_FIELDS) {
        if (spec.securityContext?.[field] == null) continue;
        throw refusal(request, `pod.Spec.SecurityContext.${shown} is forbidden`);
      }
      for (const { securityContext } of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
        for (const [field, shown] of CONTAINER_FIELDS) {
          if (securityContext?.[field] != null) throw refusal(request, `SecurityContext.${shown} is forbidden`);
        }
      }
    },
  };
}
