/**
 * Reads something that many ask for at once: all who ask while it is being read share the next reading, which begins
 * when that one has ended. So everybody gets what was read after they asked.
 */
export function batched<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const reading = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();
  const begin = (key: string): Promise<T> => {
    next.delete(key);
    const begun = read(key).finally(() => {
      if (reading.get(key) === begun) reading.delete(key);
    });
    reading.set(key, begun);
    return begun;
  };
  return (key) => {
    const waiting = next.get(key);
    if (waiting !== undefined) return waiting;
    const again = () => begin(key);
    const before = reading.get(key) ?? Promise.resolve();
    const later = before.then(again, again);
    next.set(key, later);
    return later;
  };
}
