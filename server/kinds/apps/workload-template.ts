import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
} from '#base/errors/field-error.ts';
import type { PodTemplateSpec, Volume } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { dns1123Label } from '#schema/validation/names.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { podTemplateWarnings } from '../core/pod-spec/template.ts';

/** Validates that several pods do not mount the same writable disk. `path` leads to the volumes. */
export function validateSharedDisks(volumes: readonly Volume[] | null | undefined, path: FieldPath): FieldError[] {
  return (volumes ?? []).flatMap((volume, i) => {
    const disk = volume.gcePersistentDisk;
    if (disk == null || disk.readOnly === true) return [];
    return [
      invalidValue(
        path.index(i).child('gcePersistentDisk', 'readOnly'),
        false,
        'must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is read-only',
      ),
    ];
  });
}

/**
 * Validates pods that run until they are replaced. They must always restart and have no deadline. `kind` is a word of
 * the message.
 */
export function validateRunsForever(template: PodTemplateSpec, kind: string, path: FieldPath): FieldError[] {
  const { restartPolicy = '', activeDeadlineSeconds } = template.spec ?? {};
  const errors: FieldError[] = [];
  if (restartPolicy !== 'Always') {
    errors.push(notSupported(path.child('spec', 'restartPolicy'), restartPolicy, ['Always']));
  }
  if (activeDeadlineSeconds != null) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(forbiddenField(path.child('spec', 'activeDeadlineSeconds'), detail));
  }
  return errors;
}

/** Returns the template of an object, for kinds that have one. */
type TemplateOf<T> = (object: T) => PodTemplateSpec | undefined;

/**
 * Since 1.27, the warning about a new object whose name becomes a part of the names and host names of its pods.
 * @param use the use of the name, for the message
 */
export function nameWarnings(
  { metadata: { name = '' } }: ApiObject,
  old: ApiObject | undefined,
  { release }: WriteContext,
  use = 'Pod names and hostnames',
): string[] {
  const problems = old === undefined && release.atLeast(27) ? dns1123Label(name) : [];
  if (problems.length === 0) return [];
  const effect = `this is used in ${use}, which can result in surprising behavior; a DNS label is recommended`;
  return [`metadata.name: ${effect}: [${problems.join(' ')}]`];
}

/** The warnings of a template, if the object is new or its generation changed. `path` leads to the template. */
export function workloadWarnings<T extends ApiObject>(
  object: T,
  old: T | undefined,
  templateOf: TemplateOf<T>,
  path: FieldPath,
  context: WriteContext,
): string[] {
  if (old !== undefined && old.metadata.generation === object.metadata.generation) return [];
  return podTemplateWarnings(templateOf(object), path, context);
}

/** The table cells about the template: names and images of its containers. */
export function containerCells(template: PodTemplateSpec | undefined): [names: string, images: string] {
  const containers = template?.spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image }) => image ?? '').join(',')];
}
