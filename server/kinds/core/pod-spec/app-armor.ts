import { type FieldError, FieldPath, invalidValue, notSupported, required, tooLong } from '#base/errors/field-error.ts';
import type { AppArmorProfile, Container, EphemeralContainer, Pod } from '#schema/generated/core.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { podAnnotations } from './annotations.ts';
import type { PodSpecContext } from './context.ts';
import { profileOfAnnotation, validateSameProfile } from './seccomp.ts';
import { visitContainers } from './visit-containers.ts';

const TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const NEEDED = 'must be set when AppArmor type is Localhost';
const { maxLength } = bounds['core.v1.AppArmorProfile'].localhostProfile;

/** Errors of the AppArmor profile of a container. */
export function validateAppArmorProfile(profile: AppArmorProfile | null | undefined, path: FieldPath): FieldError[] {
  if (profile == null) return [];
  const { type = '', localhostProfile } = profile;
  const at = path.child('localhostProfile');
  if (type === '') return [required(path.child('type'), 'type is required when appArmorProfile is set')];
  if (!TYPES.includes(type)) return [notSupported(path.child('type'), type, TYPES)];
  if (type !== 'Localhost')
    return localhostProfile == null
      ? []
      : [invalidValue(at, localhostProfile, 'can only be set when AppArmor type is Localhost')];
  if (localhostProfile == null || localhostProfile === '') return [required(at, NEEDED)];
  const padded = localhostProfile.trim() !== localhostProfile;
  return [
    ...(padded ? [invalidValue(at, localhostProfile, 'must not be padded with whitespace')] : []),
    ...(Buffer.byteLength(localhostProfile) > maxLength ? [tooLong(at, '', maxLength)] : []),
  ];
}

interface Annotated {
  readonly container: Container | EphemeralContainer;
  readonly path: FieldPath;
  /** The key of the annotation, and its value. */
  readonly key: string;
  readonly annotation: string;
}

/**
 * The containers whose profile is in an annotation. It is for releases since 1.30, in which fields replace the
 * annotations.
 */
function annotated({ metadata, spec }: Pod, { naming, release }: PodSpecContext): Annotated[] {
  if (spec === undefined || !release.atLeast(30) || spec.os?.name === 'windows') return [];
  const { appArmorPrefix } = podAnnotations(naming);
  return visitContainers(spec, SPEC).flatMap(({ container, path }) => {
    const key = appArmorPrefix + container.name;
    const annotation = metadata.annotations?.[key];
    return annotation === undefined ? [] : [{ container, path, key, annotation }];
  });
}

const SPEC = new FieldPath('spec');

/** Turns the profile of each container that has it only as an annotation into a field, with a warning. */
export function takeAnnotatedAppArmor(pod: Pod, context: PodSpecContext & { warn(text: string): void }): void {
  for (const { container, key, annotation } of annotated(pod, context)) {
    if (container.securityContext?.appArmorProfile != null) continue;
    const profile = annotation === OF_ANOTHER ? undefined : profileOfAnnotation(annotation);
    if (profile !== undefined)
      container.securityContext = { ...container.securityContext, appArmorProfile: profile as AppArmorProfile };
    context.warn(`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
  }
}

/** A value that only profiles of another type may have. */
const OF_ANOTHER = 'docker/default';

/** Validates the profiles of containers. If a profile is in an annotation and in a field, both must be the same. */
export function validateAppArmorAgrees(pod: Pod, context: PodSpecContext): FieldError[] {
  return annotated(pod, context).flatMap(({ container, path, annotation }) => {
    const profile = container.securityContext?.appArmorProfile;
    if (profile == null) return [];
    return validateSameProfile(annotation, profile, path.child('securityContext', 'appArmorProfile'), 'apparmor');
  });
}
