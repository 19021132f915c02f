/** The result of many steps of one kind. */
export interface SlowStart {
  readonly done: number;
  /** The first failure, after which no more was begun. */
  readonly failure: unknown;
}

/**
 * Does something a number of times: once, then twice at once, then four times, and so on up to a limit. The first batch
 * with a failure is the last one. So work that cannot succeed is tried only a few times, and other work is fast.
 *
 * @param step gets the number of the step, from 0
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
