/**
 * Reads a value that many callers request at once. Calls during a read share the next read, which begins when the first
 * has ended. So each caller gets a value that was read after its call.
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
