import { table } from '#base/collections/own-properties.ts';
import { type FieldError, type FieldPath, forbiddenField, notSupported, required } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { ObjectMeta } from '#schema/objects/api-object.ts';

const SINGLE_POD = 'ReadWriteOncePod';
const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce'];
const SHORT: Readonly<Record<string, string>> = table({
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  [SINGLE_POD]: 'RWOP',
});

/** Whether volumes or claims use the mode that excludes all others. */
export function usesSinglePodMode(modes: readonly string[] | undefined): boolean {
  return modes?.includes(SINGLE_POD) === true;
}

/**
 * Validates access modes. There must be at least one known mode. The mode for a single pod must be the only one, even
 * if it is not allowed.
 */
export function validateAccessModes(
  modes: readonly string[] | undefined,
  rules: { readonly allowSinglePod: boolean; readonly whyRequired?: string },
  path: FieldPath,
): FieldError[] {
  const given = modes ?? [];
  const supported = rules.allowSinglePod ? [...MODES, SINGLE_POD] : MODES;
  const errors = given.length === 0 ? [required(path, rules.whyRequired)] : [];
  for (const mode of given) if (!supported.includes(mode)) errors.push(notSupported(path, mode, supported));
  if (usesSinglePodMode(given) && given.some((mode) => MODES.includes(mode))) {
    errors.push(forbiddenField(path, `may not use ${SINGLE_POD} with other access modes`));
  }
  return errors;
}

/** Modes in a table: `RWO,ROX`. */
export function accessModesText(modes: readonly string[] | undefined): string {
  return Object.entries(SHORT)
    .filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

/** The class of a volume or claim. An old annotation takes precedence over the field. */
export function storageClassOf(
  metadata: ObjectMeta,
  spec: { readonly storageClassName?: string } | undefined,
  naming: Naming,
): string {
  return metadata.annotations?.[naming.key('volume.beta/storage-class')] ?? spec?.storageClassName ?? '';
}
