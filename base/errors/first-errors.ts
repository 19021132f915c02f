import type { FieldError } from './field-error.ts';

/**
 * The number of errors after which a check ends. A client sees fewer (see `invalid`), and a list of 300,000 wrong items
 * would otherwise hold the event loop for many seconds.
 */
const MOST_ERRORS = 5_000;

/** Ends a check that has found {@link MOST_ERRORS}. */
class EnoughErrors extends Error {
  readonly errors: FieldError[];

  constructor(errors: FieldError[]) {
    super('a check has found enough errors');
    this.errors = errors;
  }
}

/** The errors that the check in progress has made; undefined outside of checks, where their number has no limit. */
let made: FieldError[] | undefined;

/** Counts an error that a check makes. @throws EnoughErrors, which {@link firstErrors} catches */
export function noteError(error: FieldError): void {
  if (made === undefined) return;
  made.push(error);
  if (made.length >= MOST_ERRORS) throw new EnoughErrors(made);
}

/**
 * The errors that a check finds. If there are {@link MOST_ERRORS}, the check ends early, and the result is all that it
 * has made so far. The limit holds for the part of the check that runs before its first pause.
 *
 * @example firstErrors(() => validateLabels(labels, path))
 * @throws what the check throws
 */
export function firstErrors<T extends readonly FieldError[] | Promise<readonly FieldError[]>>(
  check: () => T,
): T | FieldError[] {
  const before = made;
  made = [];
  try {
    const found = check();
    return found instanceof Promise ? (found.catch(orEnough) as T) : found;
  } catch (error) {
    return orEnough(error);
  } finally {
    made = before;
  }
}

function orEnough(error: unknown): FieldError[] {
  if (error instanceof EnoughErrors) return error.errors;
  throw error;
}
