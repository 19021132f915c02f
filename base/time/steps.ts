/** Long work in steps: it yields between them so that other work can run, and returns its result at the end. */
export type Steps<T> = Generator<void, T, void>;

/**
 * Does all steps now. It is for short work, and for callers that cannot wait.
 *
 * @throws what the work throws
 */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value as T;
  }
}
