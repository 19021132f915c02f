import type { FieldPath } from '#base/errors/field-error.ts';
import type { Release } from '#base/release/release.ts';
import type { PersistentVolumeClaimSpec } from '#schema/generated/core.v1.ts';
import { parseQuantity } from '#schema/values/quantity.ts';

/** Since 1.26, warnings about amounts that are not a whole number of bytes. `path` leads to the spec of the claim. */
export function amountWarnings(
  spec: PersistentVolumeClaimSpec | null | undefined,
  path: FieldPath,
  release: Release,
): string[] {
  if (!release.atLeast(26)) return [];
  return (['requests', 'limits'] as const).flatMap((list) => {
    const amount = spec?.resources?.[list]?.['storage'];
    if (amount === undefined || parseQuantity(amount).milliValue() % 1000n === 0n) return [];
    const at = path.child('resources', list).key('storage');
    return [`${at}: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`];
  });
}

/** The warning about the annotation that once named a storage class. */
export const OLD_STORAGE_CLASS = 'deprecated since v1.8; use "storageClassName" attribute instead';
