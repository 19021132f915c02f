import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../errors/field-error.ts';
import type { ObjectMeta } from '../../../schema/api-object.ts';
import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedLocalObjectReference,
} from '../../../schema/generated/core.v1.ts';
import { validateAnnotations } from '../../common/annotations.ts';
import { semanticallyEqual } from '../../common/immutable.ts';
import { validateLabelSelector } from '../../common/label-selector.ts';
import { validateLabels } from '../../common/labels.ts';
import { subdomainName } from '../../common/names.ts';
import { validatePositiveQuantity } from '../../common/resources.ts';
import type { PodSpecContext } from './context.ts';

const ONE_POD = 'ReadWriteOncePod';

/** What a claim for storage asks for, in claims of their own and in those that come with a pod. */
export function validateClaimSpec(
  spec: PersistentVolumeClaimSpec,
  path: FieldPath,
  { gates }: Pick<PodSpecContext, 'gates'>,
): FieldError[] {
  const errors = validateAccessModes(spec.accessModes ?? [], gates.enabled(ONE_POD), path.child('accessModes'));
  const storage = spec.resources?.requests?.['storage'];
  const storagePath = path.child('resources').key('storage');
  const selector = validateLabelSelector(spec.selector, path.child('selector'));
  errors.splice(errors[0]?.type === 'FieldValueRequired' ? 1 : 0, 0, ...selector);
  errors.push(...(storage === undefined ? [required(storagePath)] : validatePositiveQuantity(storage, storagePath)));
  if (spec.storageClassName) {
    const problems = subdomainName(spec.storageClassName);
    errors.push(
      ...problems.map((problem) => invalidValue(path.child('storageClassName'), spec.storageClassName, problem)),
    );
  }
  if (spec.volumeMode != null && !['Block', 'Filesystem'].includes(spec.volumeMode)) {
    errors.push(notSupported(path.child('volumeMode'), spec.volumeMode, ['Block', 'Filesystem']));
  }
  for (const name of ['dataSource', 'dataSourceRef'] as const) {
    const source = spec[name];
    if (source != null) errors.push(...validateDataSource(source, path.child(name)));
  }
  if (
    spec.dataSource != null &&
    spec.dataSourceRef != null &&
    !semanticallyEqual(spec.dataSource, spec.dataSourceRef)
  ) {
    errors.push(invalidValue(path, String(path.child('dataSource')), 'must match dataSourceRef'));
  }
  return errors;
}

function validateAccessModes(modes: readonly string[], onePod: boolean, path: FieldPath): FieldError[] {
  if (modes.length === 0) return [required(path, 'at least 1 access mode is required')];
  const supported = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', ...(onePod ? [ONE_POD] : [])];
  const errors = modes.filter((mode) => !supported.includes(mode)).map((mode) => notSupported(path, mode, supported));
  if (onePod && modes.includes(ONE_POD) && modes.some((mode) => mode !== ONE_POD && supported.includes(mode))) {
    errors.push(forbiddenField(path, `may not use ${ONE_POD} with other access modes`));
  }
  return errors;
}

function validateDataSource({ apiGroup, kind, name }: TypedLocalObjectReference, path: FieldPath): FieldError[] {
  return [
    ...(name ? [] : [required(path.child('name'))]),
    ...(kind ? [] : [required(path.child('kind'))]),
    ...(apiGroup || kind === 'PersistentVolumeClaim'
      ? []
      : [invalidValue(path, kind ?? '', "must be 'PersistentVolumeClaim' when referencing the default apiGroup")]),
  ];
}

/** Of the metadata of a claim that comes with a pod only these may be set. */
const CLAIM_METADATA = ['labels', 'annotations', 'creationTimestamp'];

/** A claim that is made for a pod and lives as long as it. */
export function validateClaimTemplate(
  template: PersistentVolumeClaimTemplate,
  path: FieldPath,
  context: PodSpecContext,
): FieldError[] {
  const metadata: ObjectMeta = template.metadata ?? {};
  const at = path.child('metadata');
  return [
    ...validateAnnotations(metadata.annotations, at.child('annotations')),
    ...validateLabels(metadata.labels, at.child('labels')),
    ...Object.entries(metadata)
      .filter(([field, value]) => value != null && !CLAIM_METADATA.includes(field))
      .map(([field]) => forbiddenField(at.child(field), 'cannot be set for an ephemeral volume')),
    ...validateClaimSpec(template.spec ?? {}, path.child('spec'), context),
  ];
}
