import { type FieldError, FieldPath, invalidValue } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { FieldSet } from '#schema/apply/field-set.ts';
import { labelWithName, namespaceVersions } from '#schema/conversion/core/namespace.ts';
import type { Namespace } from '#schema/generated/core.v1.ts';
import { standardFinalizers, validateFinalizerDomain } from '#schema/validation/finalizers.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { labelName, qualifiedName } from '#schema/validation/names.ts';
import { defineKind } from '../define-kind.ts';

const FINALIZERS = new FieldPath('spec').child('finalizers');

/** Validates the finalizers of a namespace. Errors have the given path. */
function validateSpecFinalizers({ spec }: Namespace, naming: Naming, path: (index: number) => FieldPath): FieldError[] {
  const standard = standardFinalizers(naming);
  return (spec?.finalizers ?? []).flatMap((name, i) => {
    const problems = qualifiedName(name).map((problem) => invalidValue(path(i), name, problem));
    return [...problems, ...validateFinalizerDomain(name, standard, path(i))];
  });
}

/** Validates the phase. It only says whether the namespace is being deleted. */
function validatePhase({ metadata, status }: Namespace): FieldError[] {
  const phase = status?.phase ?? '';
  const deleted = (metadata.deletionTimestamp ?? null) !== null;
  if (phase === (deleted ? 'Terminating' : 'Active')) return [];
  const detail = deleted
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [invalidValue('status.Phase', phase, detail)];
}

/**
 * The kind of namespaces, which contain objects. While a namespace is being deleted, its spec.finalizers keep it until
 * all objects are gone.
 */
export const namespace = defineKind('core/namespaces', {
  validateName: labelName,
  versions: namespaceVersions,
  prepareForCreate(object, { naming }) {
    const finalizers = object.spec?.finalizers ?? [];
    if (!finalizers.includes(naming.product)) object.spec = { finalizers: [...finalizers, naming.product] };
    object.status = { phase: 'Active' };
  },
  prepareForUpdate(object, old) {
    object.spec = { ...old.spec };
  },
  validate: (object, { naming }) => validateSpecFinalizers(object, naming, () => FINALIZERS),
  validateUpdate: (object, _old, { naming }) =>
    validateKindMetadata(object, { namespaced: false, validateName: labelName }, naming),
  viewResets: { finalize: FieldSet.ofMembers(['status']) },
  subresources: {
    status: {
      prepareForUpdate(object, old) {
        object.spec = { ...old.spec };
      },
      validateUpdate: validatePhase,
    },
    finalize: {
      prepareForUpdate(object, old) {
        if (old.status === undefined) delete object.status;
        else object.status = old.status;
      },
      validateUpdate: (object, _old, { naming }) => validateSpecFinalizers(object, naming, (i) => FINALIZERS.index(i)),
    },
  },
  // A generated name does not exist yet when the other fields get their defaults.
  canonicalize: (object, { naming }) => labelWithName(object, naming),
  holdsDeletion: (object) => (object.spec?.finalizers?.length ?? 0) > 0,
  markDeleted(object) {
    object.status = { ...object.status, phase: 'Terminating' };
  },
  cells: (object, { now }) => [
    object.metadata.name ?? '',
    object.status?.phase ?? '',
    age(object.metadata.creationTimestamp, now),
  ],
});
