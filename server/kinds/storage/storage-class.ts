import { append } from '#base/collections/append.ts';
import { askedBefore } from '#base/collections/asked-before.ts';
import {
  declared,
  duplicate,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import { MOST_ERRORS } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { storageClassVersions } from '#schema/conversion/storage/storage-class.ts';
import type { TopologySelectorTerm } from '#schema/generated/core.v1.ts';
import type { StorageClass } from '#schema/generated/storage.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { deprecatedLabelWarning } from '#schema/validation/deprecated-labels.ts';
import { age } from '#schema/validation/human-duration.ts';
import { fixedByRule, semanticallyEqual, validateImmutable } from '#schema/validation/immutable.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { validateLabelKey } from '#schema/validation/labels.ts';
import { qualifiedName } from '#schema/validation/names.ts';
import { defineKind } from '../define-kind.ts';
import { validateParameters } from './parameters.ts';

const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];
/** The fields that never change, in the order of their errors. Since 1.37 this is the order of the schema. */
const FIXED = ['parameters', 'provisioner', 'reclaimPolicy'] as const;
const SORTED_FIXED = ['provisioner', 'parameters', 'reclaimPolicy'] as const;
const TOPOLOGIES = new FieldPath('allowedTopologies');

/** Validates labels that the place of a volume must have. Each key occurs once, and each value once. */
function validateTerm(term: TopologySelectorTerm, path: FieldPath): FieldError[] {
  const keys = new Set<string>();
  return (term.matchLabelExpressions ?? []).flatMap(({ key, values }, i) => {
    const at = path.child('matchLabelExpressions').index(i);
    const list = values ?? [];
    const errors = list.length === 0 ? [required(at.child('values'))] : [];
    const again = askedBefore<string>();
    list.forEach((value, k) => {
      if (again(value)) errors.push(duplicate(at.child('values').index(k), value));
    });
    append(errors, validateLabelKey(key, at.child('key')));
    if (keys.has(key)) errors.push(duplicate(at.child('key'), key));
    keys.add(key);
    return errors;
  });
}

/**
 * The content of a term in a form that is equal for equal terms: the values of each key. If a key occurs twice, its
 * last values are used.
 */
function meaning(term: TopologySelectorTerm): string {
  const values = new Map(
    (term.matchLabelExpressions ?? []).map(({ key, values }) => [key, [...new Set(values)].sort()] as const),
  );
  return JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Checks that no term is empty or equal to another. An error is reported once for each pair of terms. Beyond the
 * largest number of errors in messages, it is reported once for each term.
 */
function validateTopologies(terms: readonly TopologySelectorTerm[]): FieldError[] {
  // Clients see every list compared with as many empty terms as it has terms.
  const said = new Map([[meaning({}), terms.length]]);
  let pairs = 0;
  return terms.flatMap((term, i) => {
    const own = meaning(term);
    const before = said.get(own) ?? 0;
    said.set(own, before + 1);
    const shown = Math.min(before, Math.max(MOST_ERRORS - pairs, 1));
    pairs += shown;
    const path = TOPOLOGIES.index(i);
    const again =
      before === 0 ? [] : new Array<FieldError>(shown).fill(duplicate(path.child('matchLabelExpressions'), ''));
    return [...validateTerm(term, path), ...again];
  });
}

function validate(object: StorageClass): FieldError[] {
  const { provisioner, reclaimPolicy = '', volumeBindingMode } = object;
  const errors = provisioner === '' ? declared([required('provisioner')], 37) : [];
  if (provisioner !== '') {
    const problems = qualifiedName(provisioner.toLowerCase());
    append(
      errors,
      problems.map((problem) => invalidValue('provisioner', provisioner, problem)),
    );
  }
  append(errors, validateParameters(object.parameters ?? {}));
  if (reclaimPolicy !== '' && !RECLAIM_POLICIES.includes(reclaimPolicy)) {
    errors.push(notSupported('reclaimPolicy', reclaimPolicy, RECLAIM_POLICIES));
  }
  if (volumeBindingMode === undefined) errors.push(required('volumeBindingMode'));
  else if (!BINDING_MODES.includes(volumeBindingMode)) {
    errors.push(notSupported('volumeBindingMode', volumeBindingMode, BINDING_MODES));
  }
  return [...errors, ...validateTopologies(object.allowedTopologies ?? [])];
}

/** Whether this is the class for claims without a class. */
function isDefaultClass({ metadata }: ApiObject, naming: Naming): boolean {
  const { annotations = {} } = metadata;
  const keys = ['storageclass/is-default-class', 'storageclass.beta/is-default-class'];
  return keys.some((key) => annotations[naming.key(key)] === 'true');
}

/** The kind of storage classes, which describe storage that can be provisioned. */
export const storageClass = defineKind('storage/storageclasses', {
  versions: storageClassVersions,
  validate,
  validateUpdate(object, old, { naming, release }) {
    const fields: readonly (typeof FIXED)[number][] = release.atLeast(37) ? SORTED_FIXED : FIXED;
    const path = new FieldPath('volumeBindingMode');
    const changed = fields.filter((field) => !semanticallyEqual(object[field], old[field]));
    return [
      ...validateKindMetadata(object, { namespaced: false }, naming),
      ...validate(object),
      ...changed.map((field) => fixedByRule(forbiddenField(field, `updates to ${field} are forbidden.`))),
      ...validateImmutable(object.volumeBindingMode, old.volumeBindingMode, path).map(fixedByRule),
    ];
  },
  warnings: (object, _old, { naming }) =>
    (object.allowedTopologies ?? []).flatMap((term, i) =>
      (term.matchLabelExpressions ?? []).flatMap(({ key }, k) => {
        const path = TOPOLOGIES.index(i).child('matchLabelExpressions').index(k).child('key');
        return deprecatedLabelWarning(key, path, naming);
      }),
    ),
  cells: (object, { naming, now }) => [
    isDefaultClass(object, naming) ? `${object.metadata.name} (default)` : (object.metadata.name ?? ''),
    object.provisioner,
    object.reclaimPolicy ?? 'Delete',
    object.volumeBindingMode ?? '<unset>',
    object.allowVolumeExpansion ?? false,
    age(object.metadata.creationTimestamp, now),
  ],
});
