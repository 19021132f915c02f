import { type Release, releases } from '#base/release/release.ts';
import type { ObjectStore } from '#storage/object-store.ts';
import { WRITTEN_RELEASES } from '../resources/other-releases.ts';

/**
 * Records in the store that replicas of a release write to it, so that replicas of other releases look for fields that
 * they do not have. The mark must be written before the first such write, so that all replicas see both in this order.
 * The first release does not write a mark, because every release has its fields.
 */
export async function markRelease(store: Pick<ObjectStore, 'create'>, prefix: string, release: Release): Promise<void> {
  if (release === releases[0]) return;
  const { group, plural } = WRITTEN_RELEASES;
  const marker = { kind: 'Release', apiVersion: 'v1', metadata: { name: release.name } };
  await store.create(`${prefix}/${group}/${plural}/${release.name}`, Buffer.from(JSON.stringify(marker)));
}
