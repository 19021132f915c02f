import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '#base/errors/field-error.ts';
import type { PodSpec } from '#schema/generated/core.v1.ts';
import type { ObjectMeta } from '#schema/objects/api-object.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { validateLabels } from '#schema/validation/labels.ts';
import { dns1123Label, dns1123Subdomain, qualifiedName } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';
import { resourceNames } from '#schema/validation/resource-names.ts';
import { validateResourceRequirements } from '#schema/validation/resources.ts';
import { validateAffinity } from './affinity.ts';
import {
  validateChoice,
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from './containers.ts';
import type { PodSpecContext } from './context.ts';
import { CLASSIC_SEARCHES, EXPANDED_SEARCHES, validateDnsConfig, validateHostAliases } from './dns.ts';
import { validateOperatingSystem } from './operating-system.ts';
import { validatePodResources } from './pod-resources.ts';
import { validateResizePolicy } from './resize-policy.ts';
import { validatePodClaims } from './resource-claims.ts';
import { validateSchedulingGates } from './scheduling-gates.ts';
import { validatePodSecurity } from './security.ts';
import { validateTolerations } from './tolerations.ts';
import { validateTopologySpread } from './topology-spread.ts';
import { validateVolumes } from './volumes.ts';
import { validateHostProcesses } from './windows.ts';

const RESTARTS = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION = ['PreemptLowerPriority', 'Never'];

/** Checks the spec of a pod or, without `metadata`, of a template. */
export function validatePodSpec(
  spec: PodSpec,
  metadata: ObjectMeta | undefined,
  path: FieldPath,
  context: PodSpecContext,
): FieldError[] {
  const { errors, usable } = validateVolumes(spec.volumes, metadata?.name ?? '', path.child('volumes'), context);
  const searches = {
    ...(context.gates.enabled('ExpandedDNSConfig') ? EXPANDED_SEARCHES : CLASSIC_SEARCHES),
    underscores: context.release.atLeast(37) || context.gates.enabled('RelaxedDNSSearchValidation'),
  };
  return [
    ...errors,
    ...validateContainers(spec, usable, path.child('containers'), context),
    ...validateInitContainers(spec, usable, path.child('initContainers'), context),
    ...validateEphemeralContainers(spec, usable, path.child('ephemeralContainers'), context),
    ...validateChoice(spec.restartPolicy, RESTARTS, path.child('restartPolicy')),
    ...validateChoice(spec.dnsPolicy, DNS_POLICIES, path.child('dnsPolicy')),
    ...validateLabels(spec.nodeSelector, path.child('nodeSelector')),
    ...validatePodSecurity(spec, path, context),
    ...validateAffinity(spec.affinity, path.child('affinity')),
    ...validateDnsConfig(spec.dnsConfig, spec.dnsPolicy, searches, path.child('dnsConfig')),
    ...(spec.readinessGates ?? []).flatMap(({ conditionType }, i) =>
      validateText(conditionType, qualifiedName, path.child('readinessGates').index(i).child('conditionType')),
    ),
    ...validateTopologySpread(spec.topologySpreadConstraints, path.child('topologySpreadConstraints'), context),
    ...validateHostProcesses(spec, path, context),
    ...validateNames(spec, path),
    ...validateTolerations(spec.tolerations, path.child('tolerations')),
    ...validateHostAliases(spec.hostAliases, path.child('hostAliases')),
    ...validatePlacement(spec, path, context),
    ...validateOperatingSystem(spec, path, context),
    ...validateSchedulingGates(spec, path),
    ...validatePodResources(spec, path, context),
    ...validatePodClaims(spec, path),
    ...validateResizePolicies(spec, path),
  ];
}

/** Validates whether containers restart when their resources change. */
function validateResizePolicies(spec: PodSpec, path: FieldPath): FieldError[] {
  return (['containers', 'initContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap((container, i) =>
      validateResizePolicy(container, spec.restartPolicy, path.child(list).index(i).child('resizePolicy')),
    ),
  );
}

function validateNames(spec: PodSpec, path: FieldPath): FieldError[] {
  const optional = (field: 'serviceAccountName' | 'nodeName' | 'hostname' | 'subdomain') => {
    const check = field === 'hostname' || field === 'subdomain' ? dns1123Label : dns1123Subdomain;
    return spec[field] ? validateText(spec[field], check, path.child(field)) : [];
  };
  return [
    ...optional('serviceAccountName'),
    ...optional('nodeName'),
    ...validateBound(
      spec.activeDeadlineSeconds,
      bounds['core.v1.PodSpec'].activeDeadlineSeconds,
      path.child('activeDeadlineSeconds'),
    ),
    ...optional('hostname'),
    ...optional('subdomain'),
    ...validateHostnameOverride(spec, path.child('hostnameOverride')),
  ];
}

const MAX_HOSTNAME = 64;

/** Validates a host name that replaces the name from the pod's names. */
function validateHostnameOverride(spec: PodSpec, path: FieldPath): FieldError[] {
  const { hostnameOverride: name } = spec;
  if (name === undefined) return [];
  const errors: FieldError[] = [];
  for (const field of ['setHostnameAsFQDN', 'hostNetwork'] as const)
    if (spec[field] === true) errors.push(forbiddenField(path, `may not be specified when ${field} is true`));
  if (name.length > MAX_HOSTNAME) errors.push(tooLong(path, name, MAX_HOSTNAME));
  return [...errors, ...dns1123Subdomain(name).map((problem) => invalidValue(path, name, problem))];
}

function validatePlacement(spec: PodSpec, path: FieldPath, { naming }: PodSpecContext): FieldError[] {
  const { priorityClassName, runtimeClassName, preemptionPolicy, overhead } = spec;
  const errors: FieldError[] = [];
  if (priorityClassName) {
    append(errors, validateText(priorityClassName, dns1123Subdomain, path.child('priorityClassName')));
  }
  if (runtimeClassName != null) {
    append(
      errors,
      dns1123Subdomain(runtimeClassName).map((problem) =>
        invalidValue(path.child('runtimeClassName'), runtimeClassName, problem),
      ),
    );
  }
  if (preemptionPolicy === '') errors.push(required(path.child('preemptionPolicy')));
  else if (preemptionPolicy != null && !PREEMPTION.includes(preemptionPolicy)) {
    errors.push(notSupported(path.child('preemptionPolicy'), preemptionPolicy, PREEMPTION));
  }
  if (overhead == null) return errors;
  const names = resourceNames(naming);
  return [...errors, ...validateResourceRequirements({ limits: overhead }, names, path.child('overhead'))];
}
