import { type FieldError, FieldPath, required } from '#base/errors/field-error.ts';
import { isObject } from '#base/json/json-value.ts';
import type { ControllerRevision } from '#schema/generated/apps.v1.ts';
import type { ObjectMeta } from '#schema/objects/api-object.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validateImmutable } from '#schema/validation/immutable.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { defineKind } from '../define-kind.ts';

/** The controller of an object in a table: `daemonset.apps/d`, or `<none>`. */
function controllerText({ ownerReferences }: ObjectMeta): string {
  const owner = ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return '<none>';
  const slash = owner.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : `.${owner.apiVersion.slice(0, slash)}`;
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}

const DATA = new FieldPath('data');

function validateData({ data }: ControllerRevision): FieldError[] {
  if (data === undefined || data === null) return [required(DATA, 'data is mandatory')];
  return isObject(data) ? [] : [{ ...required(DATA, 'data must be a valid JSON object'), from: 31 }];
}

function validate({ revision }: ControllerRevision): FieldError[] {
  return [...validateBound(revision, bounds['apps.v1.ControllerRevision'].revision, new FieldPath('revision'))];
}

/** A controller revision is an earlier state of a stateful set or daemon set; its data never changes. */
export const controllerRevision = defineKind('apps/controllerrevisions', {
  validate: (object) => [...validateData(object), ...validate(object)],
  validateUpdate: (object, old, { naming, release }) => [
    ...validateKindMetadata(object, { namespaced: true }, naming),
    // Later releases check only new data, because data never changes.
    ...(release.atLeast(31) ? [] : validateData(object)),
    ...validate(object),
    ...validateImmutable(object.data, old.data, DATA),
  ],
  cells: ({ metadata, revision }, { now }) => [
    metadata.name ?? '',
    controllerText(metadata),
    revision,
    age(metadata.creationTimestamp, now),
  ],
});
