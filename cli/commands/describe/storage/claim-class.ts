import type { PersistentVolume, PersistentVolumeClaim } from '#schema/generated/core.v1.ts';
import type { DescribeContext } from '../describer.ts';

/** The class of storage that a claim asks for, or that a volume is of, also where an annotation says so. */
export function claimClass(
  { metadata, spec }: Pick<PersistentVolume | PersistentVolumeClaim, 'metadata' | 'spec'>,
  { naming }: DescribeContext,
): string {
  return metadata.annotations?.[naming.key('volume.beta/storage-class')] ?? spec?.storageClassName ?? '';
}
