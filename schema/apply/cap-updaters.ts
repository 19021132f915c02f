import { compareText } from '#base/collections/sort-short.ts';
import { FieldSet } from './field-set.ts';
import { type Manager, type Managers, managerId, secondsOf } from './managers.ts';

/** The number of updaters that an object lists separately. */
const MAX_UPDATERS = 10;

/** The manager into which the oldest updaters are merged, one for each version. */
const OLD_UPDATES = 'ancient-changes';

/** Merges the oldest updaters of each version into one manager, until an object does not have too many updaters. */
export function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers].filter(([, manager]) => manager.operation === 'Update');
  let count = updaters.length;
  if (count <= MAX_UPDATERS) return managers;
  updaters.sort(([, a], [, b]) => compareAge(a, b));
  const left = new Map(managers);
  const oldest = new Map<string, string>();
  // The fields of all managers that are merged into each bucket.
  const parts = new Map<string, FieldSet[]>();
  for (const [id, manager] of updaters) {
    if (count <= MAX_UPDATERS) break;
    const first = oldest.get(manager.apiVersion);
    if (first === undefined) {
      oldest.set(manager.apiVersion, id);
      continue;
    }
    const bucket = managerId({ ...manager, manager: OLD_UPDATES, subresource: '' });
    const folded = new Set([first, id, bucket].filter((one) => left.has(one)));
    const isMade = parts.has(bucket);
    const own = parts.get(bucket) ?? [];
    for (const one of folded) {
      if (one !== bucket || !isMade) own.push(left.get(one)!.fields);
      left.delete(one);
    }
    parts.set(bucket, own);
    // The later of both times is the time of the younger updater, because updaters are sorted by age.
    left.set(bucket, { ...manager, manager: OLD_UPDATES, subresource: '' });
    oldest.set(manager.apiVersion, bucket);
    count -= folded.size - 1;
  }
  for (const [bucket, sets] of parts) left.set(bucket, { ...left.get(bucket)!, fields: FieldSet.unionOf(sets) });
  return left;
}

function compareAge(a: Manager, b: Manager): number {
  return (
    secondsOf(a) - secondsOf(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}
