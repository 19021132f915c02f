import type { Naming } from '#base/naming/naming.ts';
import type { SeccompProfile } from '#schema/generated/core.v1.ts';
import {
  allContainers,
  type Check,
  type Control,
  containersThat,
  counted,
  exceptWindows,
  type PodToEvaluate,
  plural,
  quoted,
  setters,
  sorted,
  type Violation,
} from './controls.ts';

const REASON = 'seccompProfile';
const ALLOWED = ['RuntimeDefault', 'Localhost'];

/** The check of annotations. They named the profiles before the fields existed. */
function annotated(naming: Naming): Check {
  const podKey = naming.key('seccomp.security.alpha/pod');
  const prefix = naming.key('container.seccomp.security.alpha/');
  const allowed = (value: string) =>
    value === '' || value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');
  return ({ annotations, spec }) => {
    const keys = [podKey, ...allContainers(spec).map((container) => prefix + container.name)];
    const forbidden = sorted(
      keys.flatMap((key) => {
        const value = annotations[key];
        return value === undefined || allowed(value) ? [] : [`${key}=${JSON.stringify(value)}`];
      }),
    );
    if (forbidden.length === 0) return undefined;
    return { reason: REASON, detail: `forbidden ${plural('annotation', forbidden)} ${forbidden.join(', ')}` };
  };
}

function isBad(profile: SeccompProfile | undefined): boolean {
  return profile !== undefined && !ALLOWED.includes(profile.type);
}

/** The violation of a pod whose spec turns the profile off; undefined if it does not. */
function explicit(pod: PodToEvaluate): Violation | undefined {
  const podProfile = pod.spec.securityContext?.seccompProfile;
  const bad = containersThat(pod, ({ securityContext }) => isBad(securityContext?.seccompProfile));
  const who = setters(isBad(podProfile), bad);
  if (who === '') return undefined;
  const profiles = [
    podProfile,
    ...allContainers(pod.spec).map(({ securityContext }) => securityContext?.seccompProfile),
  ];
  const types = sorted(profiles.filter(isBad).map((profile) => profile!.type));
  return { reason: REASON, detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(types)}` };
}

/** Requires a profile for every container, either its own or that of the pod. */
const required: Check = (pod) => {
  const violation = explicit(pod);
  if (violation !== undefined || pod.spec.securityContext?.seccompProfile !== undefined) return violation;
  const without = containersThat(pod, ({ securityContext }) => securityContext?.seccompProfile === undefined);
  if (without.length === 0) return undefined;
  const who = counted('container', without);
  return {
    reason: REASON,
    detail: `pod or ${who} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};

export function seccompBaseline(naming: Naming): Control {
  return {
    id: REASON,
    forms: [
      { since: 0, check: annotated(naming) },
      { since: 19, check: explicit },
    ],
  };
}

export const seccompRestricted: Control = {
  id: 'seccompProfileRestricted',
  replaces: REASON,
  forms: [
    { since: 19, check: required },
    { since: 25, check: exceptWindows(required) },
  ],
};
