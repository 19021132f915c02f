/**
 * Runs `work` for every item, up to `workers` at a time, and starts them in order. After a failure it starts no more
 * items. When the running ones have ended, it rejects with the first error.
 *
 * @example await inParallel(files, 4, (file) => upload(file)); // four uploads at a time
 */
export async function inParallel<Item>(
  items: Iterable<Item>,
  workers: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (failures.length === 0) {
      const next = rest.next();
      if (next.done === true) return;
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  if (failures.length > 0) throw failures[0];
}
