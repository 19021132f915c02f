import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, forbiddenField, required } from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import { FieldSet } from '#schema/apply/field-set.ts';
import { defaultPodResources } from '#schema/conversion/core/default-pod-resources.ts';
import { podVersions } from '#schema/conversion/core/pod.ts';
import type { Pod, PodSpec } from '#schema/generated/core.v1.ts';
import { qualityOfService } from '#schema/quota/quality-of-service.ts';
import { semanticallyEqual } from '#schema/validation/immutable.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { nameWarnings } from '../apps/workload-template.ts';
import { defineKind } from '../define-kind.ts';
import { podCells, podRowConditions } from './pod-cells.ts';
import { resizeRules } from './pod-resize.ts';
import { podAnnotations, validatePodAnnotations, validateProfilesAgree } from './pod-spec/annotations.ts';
import { takeAnnotatedAppArmor, validateAppArmorAgrees } from './pod-spec/app-armor.ts';
import { validateEphemeralContainers, validateImageSpaces } from './pod-spec/containers.ts';
import { dropDisabledFields } from './pod-spec/disabled-fields.ts';
import { mergeLabelKeys } from './pod-spec/label-keys.ts';
import { markGated } from './pod-spec/scheduling-gates.ts';
import { profileOfAnnotation } from './pod-spec/seccomp.ts';
import { validatePodSpec } from './pod-spec/validate-pod-spec.ts';
import { podWarnings } from './pod-spec/warnings.ts';
import { validatePodStatusUpdate } from './pod-status.ts';
import { differences, validatePodSpecUpdate } from './pod-update.ts';

const SPEC = new FieldPath('spec');
const ANNOTATIONS = new FieldPath('metadata').child('annotations');

/** Validates a pod by the rules that always apply. `old` is the stored pod, undefined on create. */
function validateContent(pod: Pod, old: Pod | undefined, context: WriteContext): FieldError[] {
  const { metadata, spec = { containers: null } } = pod;
  const before = old?.metadata.annotations;
  const errors = [
    ...validatePodAnnotations(metadata.annotations, spec, ANNOTATIONS, context, before),
    ...validatePodSpec(spec, metadata, SPEC, context),
    ...validateImageReferences(spec),
  ];
  if (!spec.serviceAccountName) append(errors, validateNoTokens(pod));
  for (const list of ['containers', 'initContainers'] as const) {
    (spec[list] ?? []).forEach((container, i) => {
      append(errors, validateImageSpaces(container, SPEC.child(list).index(i)));
    });
  }
  return errors;
}

/**
 * Validates that a pod names the image of each of its image volumes. In a template, another program may add it later.
 */
function validateImageReferences({ volumes }: PodSpec): FieldError[] {
  return (volumes ?? []).flatMap(({ image }, i) =>
    image != null && !image.reference ? [required(SPEC.child('volumes').index(i).child('image', 'reference'))] : [],
  );
}

/** Validates that a pod without a service account asks for no tokens. */
function validateNoTokens({ spec }: Pod): FieldError[] {
  return (spec?.volumes ?? []).flatMap(({ projected }, i) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }, j) => {
      if (serviceAccountToken == null) return [];
      const at = SPEC.child('volumes').index(i).child('projected', 'sources').index(j).child('serviceAccountToken');
      return [forbiddenField(at, 'must not be specified when serviceAccountName is not set')];
    }),
  );
}

/** Validates annotations that must not change after creation. */
function validateFixedAnnotations(pod: Pod, old: Pod, context: WriteContext): FieldError[] {
  const { mirror, appArmorPrefix } = podAnnotations(context.naming);
  const now = pod.metadata.annotations ?? {};
  const before = old.metadata.annotations ?? {};
  const fixed = (key: string) => {
    if (key === mirror) return 'mirror pod annotation';
    return key.startsWith(appArmorPrefix) ? 'AppArmor annotations' : undefined;
  };
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(before)) {
    const what = fixed(key);
    if (what === undefined || now[key] === value) continue;
    errors.push(forbiddenField(ANNOTATIONS.key(key), `may not remove or update ${what}`));
  }
  for (const key of Object.keys(now)) {
    const what = fixed(key);
    if (what === undefined || before[key] !== undefined) continue;
    errors.push(forbiddenField(ANNOTATIONS.key(key), `may not add ${what}`));
  }
  const { spec = { containers: null } } = pod;
  return [...errors, ...validatePodAnnotations(now, spec, ANNOTATIONS, context, before)];
}

/** Turns profiles that a client gives as annotations into fields. */
function takeAnnotatedProfiles(pod: Pod, { naming }: WriteContext): void {
  const { spec, metadata } = pod;
  if (spec == null) return;
  const { seccompPod, seccompPrefix } = podAnnotations(naming);
  const profileOf = (key: string) => profileOfAnnotation(metadata.annotations?.[key] ?? '');
  const ofPod = profileOf(seccompPod);
  if (ofPod !== undefined && spec.securityContext?.seccompProfile == null) {
    spec.securityContext = { ...spec.securityContext, seccompProfile: ofPod };
  }
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const profile = profileOf(seccompPrefix + container.name);
    if (profile === undefined || container.securityContext?.seccompProfile != null) continue;
    container.securityContext = { ...container.securityContext, seccompProfile: profile };
  }
}

/** Validates ephemeral containers. Clients may add them to a pod, and must not change them later. */
function validateEphemeralUpdate(pod: Pod, old: Pod, context: WriteContext): FieldError[] {
  const path = SPEC.child('ephemeralContainers');
  const { spec = { containers: null } } = pod;
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  const errors = validateEphemeralContainers(spec, volumes, path, context);
  const named = new Map((spec.ephemeralContainers ?? []).map((container) => [container.name, container]));
  for (const before of old.spec?.ephemeralContainers ?? []) {
    const now = named.get(before.name);
    const what = `existing ephemeral containers ${JSON.stringify(before.name)}`;
    if (now === undefined) errors.push(forbiddenField(path, `${what} may not be removed\n`));
    else if (!semanticallyEqual(now, before)) {
      errors.push(forbiddenField(path, `${what} may not be changed\n${differences(before, now)}`));
    }
  }
  return errors;
}

/** Since 1.27, sets a grace period below zero to one second. */
function liftGrace({ spec }: Pod, { release }: WriteContext): void {
  if (release.atLeast(27) && Number(spec?.terminationGracePeriodSeconds ?? 0) < 0)
    Object.assign(spec!, { terminationGracePeriodSeconds: 1 });
}

/** The kind of pods. A pod is a group of containers that run together on a node. */
export const pod = defineKind('core/pods', {
  versions: podVersions,
  statusResets: FieldSet.ofMembers(['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']),
  prepareForCreate(pod, context) {
    const { spec = { containers: null } } = pod;
    if (context.gates.enabled('PodLevelResourcesFixDefaulting')) defaultPodResources(spec);
    pod.status = { phase: 'Pending', qosClass: qualityOfService(spec) };
    dropDisabledFields(pod, undefined, context);
    takeAnnotatedProfiles(pod, context);
    takeAnnotatedAppArmor(pod, context);
    markGated(pod, context.now);
    mergeLabelKeys(pod, context);
    liftGrace(pod, context);
  },
  prepareForUpdate(pod, old, context) {
    const { spec } = pod;
    // A client may not know the field.
    if (
      context.gates.enabled('PodLevelResourcesFixDefaulting') &&
      spec !== undefined &&
      old.spec?.resources !== undefined
    )
      spec.resources ??= cloneJson(old.spec.resources);
    dropDisabledFields(pod, old, context);
    liftGrace(pod, context);
  },
  validate(pod, context) {
    const { metadata, spec = { containers: null } } = pod;
    const errors = validateContent(pod, undefined, context);
    if ((spec.ephemeralContainers?.length ?? 0) > 0) {
      errors.push(forbiddenField(SPEC.child('ephemeralContainers'), 'cannot be set on create'));
    }
    return [
      ...errors,
      ...validateProfilesAgree(metadata.annotations, spec, SPEC, context),
      ...validateAppArmorAgrees(pod, context),
    ];
  },
  validateUpdate: (pod, old, context) => [
    ...validateKindMetadata(pod, { namespaced: true }, context.naming),
    ...validateContent(pod, old, context),
    ...validateFixedAnnotations(pod, old, context),
    ...validatePodSpecUpdate(pod, old),
  ],
  warnings: (pod, old, context) => [
    ...nameWarnings(pod, old, context, "the Pod's hostname"),
    ...(old === undefined ? podWarnings(pod, new FieldPath(), context) : []),
  ],
  subresources: {
    status: {
      prepareForUpdate(pod, old, { release }) {
        // Since 1.32, a status without the class keeps the class of the pod.
        const { qosClass } = old.status ?? {};
        if (release.atLeast(32) && qosClass !== undefined) (pod.status ??= {}).qosClass ||= qosClass;
        if (old.spec === undefined) delete pod.spec;
        else pod.spec = cloneJson(old.spec);
        for (const field of ['ownerReferences', 'deletionTimestamp'] as const) {
          if (old.metadata[field] === undefined) delete pod.metadata[field];
          else Object.assign(pod.metadata, { [field]: cloneJson(old.metadata[field]) });
        }
      },
      validateUpdate: (pod, old, context) => [
        ...validateFixedAnnotations(pod, old, context),
        ...validatePodStatusUpdate(pod, old),
      ],
    },
    resize: resizeRules,
    ephemeralcontainers: {
      prepareForUpdate(pod, old, context) {
        const { resourceVersion, managedFields } = pod.metadata;
        const ephemeralContainers = pod.spec?.ephemeralContainers;
        for (const field of Object.keys(pod)) delete pod[field];
        Object.assign(pod, cloneJson(old));
        if (resourceVersion !== undefined) pod.metadata.resourceVersion = resourceVersion;
        if (managedFields !== undefined) pod.metadata.managedFields = managedFields;
        const spec = (pod.spec ??= { containers: null });
        if (ephemeralContainers === undefined) delete spec.ephemeralContainers;
        else spec.ephemeralContainers = ephemeralContainers;
        dropDisabledFields(pod, old, context);
      },
      validateUpdate: validateEphemeralUpdate,
    },
  },
  selectableFields: {
    'spec.hostNetwork': ({ spec }) => String(spec?.hostNetwork === true),
    'status.podIP': ({ status }) => status?.podIPs?.[0]?.ip ?? status?.podIP ?? '',
    // The label is accepted, as in other kinds, but means only the first address.
    'status.podIPs': ({ status }) => status?.podIPs?.[0]?.ip ?? status?.podIP ?? '',
  },
  gracePeriodSeconds({ spec, status }, requested) {
    const ended = status?.phase === 'Failed' || status?.phase === 'Succeeded';
    if (!spec?.nodeName || ended) return 0;
    const seconds = requested ?? Number(spec.terminationGracePeriodSeconds ?? 0);
    return seconds < 0 ? 1 : seconds;
  },
  cells: (pod, { now }) => podCells(pod, now),
  rowConditions: podRowConditions,
});
