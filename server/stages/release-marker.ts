import { type Release, releases } from '#base/release/release.ts';
import type { ObjectStore } from '#storage/object-store.ts';
import { WRITTEN_RELEASES } from '../resources/other-releases.ts';

/**
 * Leaves in the store that replicas of a release write there, so that those of other releases look for fields which
 * they do not have. Must be done before the first such write: all see both in this order. The first release leaves
 * nothing: no other one lacks a field of it.
 */
export async function markRelease(store: Pick<ObjectStore, 'create'>, prefix: string, release: Release): Promise<void> {
  if (release === releases[0]) return;
  const { group, plural } = WRITTEN_RELEASES;
  const marker = { kind: 'Release', apiVersion: 'v1', metadata: { name: release.name } };
  await store.create(`${prefix}/${group}/${plural}/${release.name}`, Buffer.from(JSON.stringify(marker)));
}
