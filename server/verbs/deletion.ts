import type { ApiObject } from '#schema/objects/api-object.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '#schema/validation/finalizers.ts';
import type { StoredServedResource } from '../api/served-resource.ts';
import type { DeleteOptions, Propagation } from './delete-options.ts';
import { timestamp } from './object-meta.ts';

/** The next step of a delete. */
export type Step =
  /** Store the changed object. With `thenRemove`, remove it directly afterwards. */
  | { readonly kind: 'mark'; readonly object: ApiObject; readonly thenRemove: boolean }
  | { readonly kind: 'remove' }
  /** A deletion is already in progress, and this request does not change it. */
  | { readonly kind: 'pending' };

/**
 * The propagation policy: the requested one, or otherwise the one of the object's finalizers, or otherwise the kind's
 * default.
 */
function policyOf(
  asked: Propagation | undefined,
  finalizers: readonly string[],
  orphanByDefault: boolean,
): Propagation {
  if (asked !== undefined) return asked;
  if (finalizers.includes(ORPHAN_FINALIZER)) return 'Orphan';
  if (finalizers.includes(FOREGROUND_FINALIZER)) return 'Foreground';
  return orphanByDefault ? 'Orphan' : 'Background';
}

/** The finalizers for a policy. Garbage collection acts on `orphan` or `foregroundDeletion`. */
function finalizersUnder(policy: Propagation, finalizers: readonly string[]): string[] {
  const others = finalizers.filter((finalizer) => finalizer !== ORPHAN_FINALIZER && finalizer !== FOREGROUND_FINALIZER);
  if (policy === 'Background') return others;
  return [...others, policy === 'Orphan' ? ORPHAN_FINALIZER : FOREGROUND_FINALIZER];
}

/** Whether two lists contain the same finalizers, in any order. */
function sameFinalizers(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  const there = new Set(b);
  return a.every((value) => there.has(value));
}

/**
 * Marks an object as being deleted. The first mark raises its generation, unless the kind sets the mark itself.
 */
function mark(object: ApiObject, graceSeconds: number | undefined, now: number, counts = true): void {
  const { metadata } = object;
  metadata.deletionTimestamp = timestamp(now + (graceSeconds ?? 0) * 1000);
  if (graceSeconds === undefined) delete metadata.deletionGracePeriodSeconds;
  else metadata.deletionGracePeriodSeconds = graceSeconds;
  if (counts && (metadata.generation ?? 0) > 0) metadata.generation = metadata.generation! + 1;
}

/** The period of a delete that is shorter than the running one; undefined if it is not shorter. */
function shortened(current: number, asked: number | undefined): number | undefined {
  return asked !== undefined && asked < current ? asked : undefined;
}

/**
 * Decides the effect of a delete. Kinds with a grace period first get this period. Finalizers delay the removal. A
 * shorter second period replaces the first. While a period runs, or if something other than finalizers keeps the
 * object, a second delete changes nothing else. Changes `object` in place.
 */
export function deletionStep(
  served: StoredServedResource,
  object: ApiObject,
  options: DeleteOptions,
  now: number,
): Step {
  const { rules } = served.stored;
  const { metadata } = object;
  const terminating = (metadata.deletionTimestamp ?? null) !== null;
  const current = metadata.deletionGracePeriodSeconds ?? 0;
  const running = terminating && current > 0 && rules.gracePeriodSeconds !== undefined;
  const grace = running
    ? shortened(current, options.gracePeriodSeconds)
    : terminating
      ? undefined
      : rules.gracePeriodSeconds?.(object, options.gracePeriodSeconds);
  if (running && grace === undefined) return { kind: 'pending' };
  if (terminating && rules.holdsDeletion?.(object) === true) return { kind: 'pending' };

  const finalizers = metadata.finalizers ?? [];
  const policy = policyOf(options.propagation, finalizers, served.type.orphanByDefault);
  const wanted = rules.ignoresPropagation === true ? finalizers : finalizersUnder(policy, finalizers);
  const refinalized = !sameFinalizers(wanted, finalizers);
  if (refinalized) {
    if (wanted.length === 0) delete metadata.finalizers;
    else metadata.finalizers = wanted;
  }
  const held = wanted.length > 0 || rules.holdsDeletion?.(object) === true;
  if (grace !== undefined) {
    const { generation } = metadata;
    mark(object, grace, running ? Date.parse(metadata.deletionTimestamp!) - current * 1000 : now);
    if (running && generation !== undefined) metadata.generation = generation;
    return { kind: 'mark', object, thenRemove: grace === 0 && !held };
  }
  // A kind that marks deleted objects itself shows the mark before the object is removed, even without a finalizer.
  const marksFirst = rules.markDeleted !== undefined && !terminating;
  if (!held && !marksFirst) return refinalized ? { kind: 'mark', object, thenRemove: true } : { kind: 'remove' };
  if (terminating) {
    if (!refinalized && metadata.deletionGracePeriodSeconds === 0) return { kind: 'pending' };
    metadata.deletionGracePeriodSeconds = 0;
    return { kind: 'mark', object, thenRemove: false };
  }
  const marksItself = rules.markDeleted !== undefined;
  mark(object, marksItself ? undefined : 0, now, !marksItself);
  rules.markDeleted?.(object);
  return { kind: 'mark', object, thenRemove: false };
}
