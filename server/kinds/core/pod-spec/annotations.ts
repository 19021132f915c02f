import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, invalidValue } from '#base/errors/field-error.ts';
import { isObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { PodSpec, Toleration } from '#schema/generated/core.v1.ts';
import { MAX_ANNOTATION_BYTES } from '#schema/validation/annotations.ts';
import type { PodSpecContext } from './context.ts';
import { validateSameProfile, validateSeccompAnnotation } from './seccomp.ts';
import { validateTolerations } from './tolerations.ts';
import { visitContainers } from './visit-containers.ts';

type Annotations = Readonly<Record<string, string>> | undefined;

interface PodAnnotations {
  readonly mirror: string;
  readonly deletionCost: string;
  readonly tolerations: string;
  readonly seccompPod: string;
  readonly seccompPrefix: string;
  readonly appArmorPrefix: string;
}

const annotationsOf = new WeakMap<Pick<Naming, 'key'>, PodAnnotations>();

/** The annotations with a meaning for a pod. A container's name follows a prefix. */
export function podAnnotations(naming: Pick<Naming, 'key'>): PodAnnotations {
  let known = annotationsOf.get(naming);
  if (known === undefined) {
    known = {
      mirror: naming.key('config.mirror'),
      deletionCost: naming.key('controller/pod-deletion-cost'),
      tolerations: naming.key('scheduler.alpha/tolerations'),
      seccompPod: naming.key('seccomp.security.alpha/pod'),
      seccompPrefix: naming.key('container.seccomp.security.alpha/'),
      appArmorPrefix: naming.key('container.apparmor.security.beta/'),
    };
    annotationsOf.set(naming, known);
  }
  return known;
}

function isDeletionCost(value: string): boolean {
  const cost = /^(0|-?[1-9][0-9]*)$/.test(value) ? Number(value) : Number.NaN;
  return cost >= -(2 ** 31) && cost < 2 ** 31;
}

function validateAnnotatedTolerations(value: string, path: FieldPath): FieldError[] {
  // It is too long for any annotation, which is a separate error.
  if (value.length > MAX_ANNOTATION_BYTES) return [];
  let list: unknown;
  try {
    list = JSON.parse(value);
  } catch (error) {
    return [invalidValue(path, '', String((error as Error).message))];
  }
  if (!Array.isArray(list) || !list.every((item) => isObject(item)))
    return [invalidValue(path, '', 'must be a list of tolerations')];
  return validateTolerations(list as Toleration[], path);
}

/** Checks the annotations with a meaning for a pod. `old` are those of the stored object. */
export function validatePodAnnotations(
  annotations: Annotations,
  spec: PodSpec,
  path: FieldPath,
  { naming, gates }: PodSpecContext,
  old?: Annotations,
): FieldError[] {
  const keys = podAnnotations(naming);
  const given = annotations ?? {};
  const errors: FieldError[] = [];
  if (given[keys.mirror] !== undefined && !spec.nodeName) {
    const detail = 'must set spec.nodeName if mirror pod annotation is set';
    errors.push(invalidValue(path.key(keys.mirror), given[keys.mirror], detail));
  }
  if (given[keys.tolerations]) {
    append(errors, validateAnnotatedTolerations(given[keys.tolerations] ?? '', path.key(keys.tolerations)));
  }
  const cost = given[keys.deletionCost];
  const oldCost = old?.[keys.deletionCost];
  const costIsChecked = gates.enabled('PodDeletionCost') && (oldCost === undefined || isDeletionCost(oldCost));
  if (cost !== undefined && costIsChecked && !isDeletionCost(cost)) {
    errors.push(invalidValue(path.key(keys.deletionCost), cost, 'must be a 32bit integer'));
  }
  for (const [key, value] of Object.entries(given)) {
    if (key !== keys.seccompPod && !key.startsWith(keys.seccompPrefix)) continue;
    append(errors, validateSeccompAnnotation(value, path.child(key)));
  }
  return [...errors, ...validateAppArmor(given, spec, keys.appArmorPrefix, path)];
}

function validateAppArmor(
  annotations: Readonly<Record<string, string>>,
  spec: PodSpec,
  prefix: string,
  path: FieldPath,
): FieldError[] {
  const profiles = Object.entries(annotations).filter(([key]) => key.startsWith(prefix));
  if (profiles.length === 0) return [];
  const names = new Set(visitContainers(spec, path).map(({ container }) => container.name));
  return profiles.flatMap(([key, profile]) => {
    const name = key.slice(prefix.length);
    const errors: FieldError[] = [];
    if (!names.has(name)) {
      errors.push(invalidValue(path.key(key), name, 'container not found'));
    }
    if (!['', 'runtime/default', 'unconfined'].includes(profile) && !profile.startsWith('localhost/')) {
      const detail = `invalid AppArmor profile name: ${JSON.stringify(profile)}`;
      errors.push(invalidValue(path.key(key), profile, detail));
    }
    return errors;
  });
}

/** Validates at a create that profiles in annotations and in fields are equal. `path` leads to the spec. */
export function validateProfilesAgree(
  annotations: Annotations,
  spec: PodSpec,
  path: FieldPath,
  { naming }: Pick<PodSpecContext, 'naming'>,
): FieldError[] {
  const keys = podAnnotations(naming);
  const places = [
    { key: keys.seccompPod, profile: spec.securityContext?.seccompProfile, path },
    ...visitContainers(spec, path).map(({ container, path: at }) => ({
      key: keys.seccompPrefix + container.name,
      profile: container.securityContext?.seccompProfile,
      path: at,
    })),
  ];
  return places.flatMap(({ key, profile, path: at }) => {
    const annotation = annotations?.[key];
    if (annotation === undefined || profile == null) return [];
    return validateSameProfile(annotation, profile, at.child('securityContext', 'seccompProfile'));
  });
}
