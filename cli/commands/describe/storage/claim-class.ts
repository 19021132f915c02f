import type { PersistentVolume, PersistentVolumeClaim } from '#schema/generated/core.v1.ts';
import type { DescribeContext } from '../describer.ts';

/** The storage class of a claim or a volume, from the old annotation or from the field. */
export function claimClass(
  { metadata, spec }: Pick<PersistentVolume | PersistentVolumeClaim, 'metadata' | 'spec'>,
  { naming }: DescribeContext,
): string {
  return metadata.annotations?.[naming.key('volume.beta/storage-class')] ?? spec?.storageClassName ?? '';
}
