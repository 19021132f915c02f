/** A value, or a promise of it. Callers for whom the value is ready need not wait. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether the caller must wait for a value. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** Continues at once with a value, or later with the result of a promise. */
export function whenReady<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? value.then(next) : next(value);
}
