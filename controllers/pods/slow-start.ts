/** The result of {@link slowStart}. */
export interface SlowStart {
  /** The number of steps that succeeded. */
  readonly done: number;
  /** The error of the first step that failed; undefined if no step failed. */
  readonly failure: unknown;
}

/**
 * Runs `count` steps in batches that grow: one step, then two at the same time, then four, and so on up to `atOnce`.
 * After a batch with a failure, no other batch starts. So the function repeats work that cannot succeed only a few
 * times, and other work is fast.
 *
 * @param step runs one step; its argument counts the steps from 0
 */
export async function slowStart(
  count: number,
  step: (index: number) => Promise<unknown>,
  atOnce = 64,
): Promise<SlowStart> {
  let done = 0;
  for (let begun = 0, size = 1; begun < count; size = Math.min(size * 2, atOnce)) {
    const batch = Array.from({ length: Math.min(size, count - begun) }, (_, i) => step(begun + i));
    begun += batch.length;
    const results = await Promise.allSettled(batch);
    const failed = results.filter((result) => result.status === 'rejected');
    done += results.length - failed.length;
    if (failed.length > 0) return { done, failure: failed[0]!.reason };
  }
  return { done, failure: undefined };
}
