/** A value now, or soon: what costs nothing for most callers must not make them wait. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether a value has to be waited for. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** Continues at once with a value, or later with the result of a promise. */
export function whenReady<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? value.then(next) : next(value);
}
