/**
 * Runs `work` for each item, for at most `limit` items at once. A failure does not stop the work for the other items.
 * Resolves to the first failure, or to undefined.
 */
export async function atOnce<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<unknown>,
): Promise<unknown> {
  const left = items.values();
  let failure: unknown;
  const worker = async (): Promise<void> => {
    for (const item of left) {
      try {
        await work(item);
      } catch (error) {
        failure ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return failure;
}
