import { append } from '#base/collections/append.ts';
import {
  duplicate,
  type FieldError,
  type FieldPath,
  fieldNotFound,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { Container, EphemeralContainer, PodSpec, Volume } from '#schema/generated/core.v1.ts';
import { dns1123Label } from '#schema/validation/names.ts';
import { validateRequired, validateRequiredText } from '#schema/validation/reference.ts';
import { resourceNames } from '#schema/validation/resource-names.ts';
import { validateResourceRequirements } from '#schema/validation/resources.ts';
import { validateContainerPorts, validateHostPorts } from './container-ports.ts';
import { validateContainerRestart, validateInitRestart } from './container-restart.ts';
import type { PodSpecContext } from './context.ts';
import { validateEnvironment, validateEnvironmentSources } from './environment.ts';
import { validateMounts } from './mounts.ts';
import { validateWatching } from './probes.ts';
import { validateContainerSecurity } from './security.ts';

type Volumes = ReadonlyMap<string, Volume>;

/** Validates that a text is one of a few. */
export function validateChoice(
  value: string | null | undefined,
  supported: readonly string[],
  path: FieldPath,
): FieldError[] {
  if (!value) return [required(path)];
  return supported.includes(value) ? [] : [notSupported(path, value, supported)];
}

/** The rules for containers of every type. */
function validateCommon(
  container: Container | EphemeralContainer,
  volumes: Volumes,
  path: FieldPath,
  context: PodSpecContext,
): FieldError[] {
  return [
    ...validateRequiredText(container.name, dns1123Label, path.child('name')),
    ...validateRequired(container.image, path.child('image')),
    ...validateChoice(
      container.terminationMessagePolicy,
      ['File', 'FallbackToLogsOnError'],
      path.child('terminationMessagePolicy'),
    ),
    ...validateContainerPorts(container.ports, path.child('ports')),
    ...validateEnvironment(container.env, volumes, path.child('env'), context),
    ...validateEnvironmentSources(container.envFrom, path.child('envFrom'), context),
    ...validateMounts(container, volumes, path),
    ...validateChoice(container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never'], path.child('imagePullPolicy')),
    ...validateResourceRequirements(
      container.resources,
      resourceNames(context.naming),
      path.child('resources'),
      context.release,
    ),
    ...validateContainerSecurity(container.securityContext, path.child('securityContext'), context),
  ];
}

/** Validates the main containers of a pod. At least one is required. */
export function validateContainers(
  { containers, terminationGracePeriodSeconds }: PodSpec,
  volumes: Volumes,
  path: FieldPath,
  context: PodSpecContext,
): FieldError[] {
  if (containers == null || containers.length === 0) return [required(path)];
  const names = new Set<string>();
  const graceSeconds = Number(terminationGracePeriodSeconds ?? 0);
  const errors = containers.flatMap((container, i) => {
    const at = path.index(i);
    const own = validateCommon(container, volumes, at, context);
    if (names.has(container.name)) own.push(duplicate(at.child('name'), container.name));
    names.add(container.name);
    append(own, validateContainerRestart(container, context, at));
    return [...own, ...validateWatching(container, at, graceSeconds)];
  });
  return [...errors, ...validateHostPorts(containers, path)];
}

const SIDECARS = 'SidecarContainers';

/**
 * Validates init containers. They run one after the other before the main containers. Only those that continue beside
 * the main containers have probes.
 */
export function validateInitContainers(
  spec: PodSpec,
  volumes: Volumes,
  path: FieldPath,
  context: PodSpecContext,
): FieldError[] {
  const names = new Set((spec.containers ?? []).map((container) => container.name));
  const graceSeconds = Number(spec.terminationGracePeriodSeconds ?? 0);
  return (spec.initContainers ?? []).flatMap((container, i) => {
    const at = path.index(i);
    const errors = validateCommon(container, volumes, at, context);
    if (names.has(container.name)) errors.push(duplicate(at.child('name'), container.name));
    else if (container.name) names.add(container.name);
    append(errors, validateHostPorts([container], path));
    append(errors, validateInitRestart(container, context, at));
    if (container.restartPolicy === 'Always') return [...errors, ...validateWatching(container, at, graceSeconds)];
    const detail = context.gates.enabled(SIDECARS)
      ? 'may not be set for init containers without restartPolicy=Always'
      : 'may not be set for init containers';
    for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
      if (container[field] != null) errors.push(forbiddenField(at.child(field), detail));
    }
    return errors;
  });
}

const NOT_EPHEMERAL = 'cannot be set for an Ephemeral Container';

/** Validates containers that are added to a running pod for an inspection. No other part may depend on them. */
export function validateEphemeralContainers(
  spec: PodSpec,
  volumes: Volumes,
  path: FieldPath,
  context: PodSpecContext,
): FieldError[] {
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  return (spec.ephemeralContainers ?? []).flatMap((container, i) => {
    const at = path.index(i);
    const errors = [...validateCommon(container, volumes, at, context), ...validateImageSpaces(container, at)];
    if (names.has(container.name)) errors.push(duplicate(at.child('name'), container.name));
    names.add(container.name);
    const target = container.targetContainerName;
    if (target && !others.has(target)) errors.push(fieldNotFound(at.child('targetContainerName'), target));
    for (const field of [
      'ports',
      'resources',
      'livenessProbe',
      'readinessProbe',
      'startupProbe',
      'lifecycle',
    ] as const) {
      const value = container[field];
      const isSet =
        value != null && (field !== 'ports' && field !== 'resources' ? true : Object.keys(value).length > 0);
      if (isSet) errors.push(forbiddenField(at.child(field), NOT_EPHEMERAL));
    }
    (container.volumeMounts ?? []).forEach((mount, j) => {
      for (const field of ['subPath', 'subPathExpr'] as const) {
        if (mount[field]) errors.push(forbiddenField(at.child('volumeMounts').index(j).child(field), NOT_EPHEMERAL));
      }
    });
    return errors;
  });
}

/** Validates images. In pods, but not in templates, an image's name has no spaces around it. */
export function validateImageSpaces({ image }: { image?: string }, path: FieldPath): FieldError[] {
  if (!image || image.trim() === image) return [];
  return [invalidValue(path.child('image'), image, 'must not have leading or trailing whitespace')];
}
