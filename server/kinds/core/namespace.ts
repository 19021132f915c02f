import { type FieldError, invalidValue } from '../../errors/field-error.ts';
import type { KindRules } from '../../registry/resource-definition.ts';
import type { Namespace } from '../../schema/generated/core.v1.ts';
import { age } from '../common/human-duration.ts';
import { labelName, qualifiedName } from '../common/names.ts';

/** A namespace holds objects; its spec.finalizers keep it, while it is being deleted, until all of them are gone. */
export const namespace: KindRules<Namespace> = {
  group: '',
  plural: 'namespaces',
  validateName: labelName,
  versions: {
    v1: {
      defaults(object, { naming }) {
        const { metadata } = object;
        if ((metadata.name ?? '') === '') return;
        metadata.labels = { ...metadata.labels, [naming.key('metadata.name')]: metadata.name! };
      },
    },
  },
  prepareForCreate(object, { naming }) {
    const finalizers = object.spec?.finalizers ?? [];
    if (!finalizers.includes(naming.product)) object.spec = { finalizers: [...finalizers, naming.product] };
    object.status = { phase: 'Active' };
  },
  prepareForUpdate(object, old) {
    object.spec = { ...old.spec };
  },
  validate(object) {
    const errors: FieldError[] = [];
    (object.spec?.finalizers ?? []).forEach((finalizer, i) => {
      for (const problem of qualifiedName(finalizer)) {
        errors.push(invalidValue(`spec.finalizers[${i}]`, finalizer, problem));
      }
    });
    return errors;
  },
  subresources: {
    status: {
      prepareForUpdate(object, old) {
        object.spec = { ...old.spec };
      },
    },
    finalize: {
      prepareForUpdate(object, old) {
        if (old.status === undefined) delete object.status;
        else object.status = old.status;
      },
    },
  },
  holdsDeletion: (object) => (object.spec?.finalizers?.length ?? 0) > 0,
  markDeleted(object) {
    object.status = { ...object.status, phase: 'Terminating' };
  },
  cells: (object, { now }) => [
    object.metadata.name ?? '',
    object.status?.phase ?? '',
    age(object.metadata.creationTimestamp, now),
  ],
};
