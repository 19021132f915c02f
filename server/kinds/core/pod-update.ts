import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, forbiddenField, invalidValue, required } from '#base/errors/field-error.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import type { Container, Pod, PodSpec } from '#schema/generated/core.v1.ts';
import { semanticallyEqual } from '#schema/validation/immutable.ts';
import { rangeMessage } from '#schema/validation/numbers.ts';
import { validateImageSpaces } from './pod-spec/containers.ts';
import { isGated, validateGatesUpdate, validateNarrowing, withOldDirectives } from './pod-spec/scheduling-gates.ts';
import { validateAddedTolerations } from './pod-spec/tolerations.ts';

const SPEC = new FieldPath('spec');
const MAX_DEADLINE = 2147483647;
const MUTABLE =
  'pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, ' +
  '`spec.activeDeadlineSeconds`, `spec.tolerations` (only additions to existing tolerations) or ' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/**
 * Validates a change of a pod's spec. Images may change, the deadline may become shorter, and tolerations may be added.
 */
export function validatePodSpecUpdate(pod: Pod, old: Pod): FieldError[] {
  const spec = pod.spec ?? { containers: null };
  const oldSpec = old.spec ?? { containers: null };
  const errors: FieldError[] = [];
  for (const list of ['containers', 'initContainers'] as const) {
    const containers = spec[list] ?? [];
    const path = SPEC.child(list);
    if (containers.length !== (oldSpec[list] ?? []).length) {
      return [...errors, forbiddenField(path, 'pod updates may not add or remove containers')];
    }
    containers.forEach((container, i) => {
      if (!container.image) errors.push(required(path.index(i).child('image')));
      append(errors, validateImageSpaces(container, path.index(i)));
    });
  }
  const deadline = validateDeadline(spec, oldSpec);
  append(errors, deadline.errors);
  if (deadline.stop) return errors;
  append(errors, validateAddedTolerations(spec.tolerations, oldSpec.tolerations, SPEC.child('tolerations')));
  append(errors, validateGatesUpdate(spec, oldSpec, SPEC));
  const narrows = isGated(oldSpec);
  if (narrows) append(errors, validateNarrowing(spec, oldSpec, SPEC));
  const mutable = withOldMutableFields(spec, oldSpec);
  const rest = narrows ? withOldDirectives(mutable, oldSpec) : mutable;
  if (errors.length > 0 && narrows) return errors;
  if (semanticallyEqual(rest, oldSpec)) return errors;
  return [...errors, forbiddenField(SPEC, `${MUTABLE}\n${differences(oldSpec, rest)}`)];
}

function validateDeadline(spec: PodSpec, old: PodSpec): { errors: FieldError[]; stop: boolean } {
  const path = SPEC.child('activeDeadlineSeconds');
  const now = spec.activeDeadlineSeconds;
  const before = old.activeDeadlineSeconds;
  const refuse = (stop: boolean, detail: string) => ({ errors: [invalidValue(path, now, detail)], stop });
  if (now == null) {
    if (before == null) return { errors: [], stop: false };
    return refuse(false, 'must not update from a positive integer to nil value');
  }
  if (Number(now) < 0 || Number(now) > MAX_DEADLINE) return refuse(true, rangeMessage(0, MAX_DEADLINE));
  if (before != null && Number(before) < Number(now)) {
    return refuse(true, 'must be less than or equal to previous value');
  }
  return { errors: [], stop: false };
}

function withImages(containers: readonly Container[] | null | undefined, old: readonly Container[] | null | undefined) {
  return (containers ?? []).map((container, i) => {
    const { image: _, ...rest } = container;
    const image = old?.[i]?.image;
    return image === undefined ? rest : { ...rest, image };
  });
}

/** The new spec with the old values of all changeable fields. */
function withOldMutableFields(spec: PodSpec, old: PodSpec): Record<string, unknown> {
  const grace = spec.terminationGracePeriodSeconds;
  const oldGrace = old.terminationGracePeriodSeconds;
  const graceMayChange = oldGrace != null && Number(oldGrace) < 0 && Number(grace) === 1;
  return {
    ...spec,
    containers: withImages(spec.containers, old.containers),
    initContainers: withImages(spec.initContainers, old.initContainers),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    tolerations: old.tolerations,
    schedulingGates: old.schedulingGates,
    terminationGracePeriodSeconds: graceMayChange ? oldGrace : grace,
  };
}

/** The different fields of two objects, as lines: `-` with the old value, and `+` with the new one. */
export function differences(old: object, now: object): string {
  const shown = (value: unknown) => (value === undefined ? 'unset' : stringify(value as JsonValue));
  const from = new Map<string, unknown>(Object.entries(old));
  const to = new Map<string, unknown>(Object.entries(now));
  return [...new Set([...from.keys(), ...to.keys()])]
    .filter((field) => !semanticallyEqual(from.get(field), to.get(field)))
    .map((field) => `- ${field}: ${shown(from.get(field))}\n+ ${field}: ${shown(to.get(field))}\n`)
    .join('');
}
