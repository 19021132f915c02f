/**
 * The number of errors after which a check ends. A client sees fewer (see `invalid`), and a list of 300,000 wrong items
 * would otherwise hold the event loop for many seconds.
 */
const ENOUGH = 5_000;

/** Ends a check that has found {@link ENOUGH}. */
class EnoughErrors extends Error {
  readonly errors: unknown[];

  constructor(errors: unknown[]) {
    super('a check has found enough errors');
    this.errors = errors;
  }
}

/** The errors that the check in progress has made; undefined outside of checks, where their number has no limit. */
let made: unknown[] | undefined;

/** The type of the errors of a check. They are field errors, but this file must not import their type. */
type ErrorOf<T> = T extends readonly (infer E)[] | Promise<readonly (infer E)[]> ? E : never;

/** Counts an error that a check makes. @throws EnoughErrors, which {@link firstErrors} catches */
export function noteError(error: unknown): void {
  if (made === undefined) return;
  made.push(error);
  if (made.length >= ENOUGH) throw new EnoughErrors(made);
}

/**
 * The errors that a check finds. If there are {@link ENOUGH}, the check ends early, and the result is all that it
 * has made so far. The limit holds for the part of the check that runs before its first pause.
 *
 * @example firstErrors(() => validateLabels(labels, path))
 * @throws what the check throws
 */
export function firstErrors<T extends readonly unknown[] | Promise<readonly unknown[]>>(
  check: () => T,
): T | ErrorOf<T>[] {
  const before = made;
  made = [];
  try {
    const found = check();
    return found instanceof Promise ? (found.catch(orEnough) as T) : found;
  } catch (error) {
    return orEnough(error) as ErrorOf<T>[];
  } finally {
    made = before;
  }
}

function orEnough(error: unknown): unknown[] {
  if (error instanceof EnoughErrors) return error.errors;
  throw error;
}
