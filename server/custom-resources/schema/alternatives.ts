import type { FieldError } from '#base/errors/field-error.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import type { Task } from './check-work.ts';
import type { StructuralSchema, ValueLimits } from './structural-schema.ts';

/** The result of an alternative for a value: its errors, and how many requirements the value meets. */
export interface Attempt {
  readonly errors: FieldError[];
  readonly met: number;
}

/** The walk that checks the value. */
export interface AlternativesWalk {
  /** Whether other work should run now. */
  readonly isDue: boolean;
  /** Begins to check a value as if there were no other results about it. Call `end` when the check has finished. */
  beginAttempt(schema: StructuralSchema, value: JsonValue): { readonly isFinished: boolean; end(): Attempt };
  /** Adds the errors of an alternative to those of the value. */
  adopt(errors: readonly FieldError[]): void;
  refuseAlternatives(detail: string): void;
}

type Keyword = 'anyOf' | 'oneOf' | 'allOf' | 'not';

/**
 * The results so far of the alternatives of one keyword. Of the failed alternatives, it keeps the one of which the
 * value meets the most requirements.
 */
interface Outcome {
  valid: number;
  best: Attempt | undefined;
}

/** Checks a value against `anyOf`, `oneOf`, `allOf` and `not`. */
export function alternativesTask(
  walk: AlternativesWalk,
  { anyOf, oneOf, allOf, not }: ValueLimits,
  value: JsonValue,
): Task {
  const groups: [keyword: Keyword, schemas: readonly StructuralSchema[]][] = [];
  if (anyOf.length > 0) groups.push(['anyOf', anyOf]);
  if (oneOf.length > 0) groups.push(['oneOf', oneOf]);
  if (allOf.length > 0) groups.push(['allOf', allOf]);
  if (not !== undefined) groups.push(['not', [not]]);
  let outcome: Outcome = { valid: 0, best: undefined };
  let group = 0;
  let i = 0;
  let end: (() => Attempt) | undefined;
  const collect = (keyword: Keyword, attempt: Attempt) => {
    if (attempt.errors.length === 0) outcome.valid++;
    else if (keyword === 'allOf') walk.adopt(attempt.errors);
    else if (outcome.best === undefined || attempt.met > outcome.best.met) outcome.best = attempt;
  };
  return () => {
    for (; group < groups.length; group++) {
      const [keyword, schemas] = groups[group]!;
      if (end !== undefined) collect(keyword, end());
      end = undefined;
      while (i < schemas.length) {
        if (walk.isDue) return 'pause';
        const attempt = walk.beginAttempt(schemas[i++]!, value);
        if (!attempt.isFinished) {
          end = attempt.end;
          return 'more';
        }
        collect(keyword, attempt.end());
      }
      conclude(walk, keyword, schemas.length, outcome);
      outcome = { valid: 0, best: undefined };
      i = 0;
    }
    return 'done';
  };
}

/** The error if too few or too many alternatives hold. */
function conclude(walk: AlternativesWalk, keyword: Keyword, count: number, { valid, best }: Outcome): void {
  if (keyword === 'anyOf' && valid === 0) {
    walk.refuseAlternatives('must validate at least one schema (anyOf)');
    walk.adopt(best?.errors ?? []);
  } else if (keyword === 'oneOf' && valid !== 1) {
    const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
    walk.refuseAlternatives(`must validate one and only one schema (oneOf). ${found}`);
    if (valid === 0) walk.adopt(best?.errors ?? []);
  } else if (keyword === 'allOf' && valid < count) {
    walk.refuseAlternatives(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
  } else if (keyword === 'not' && valid > 0) walk.refuseAlternatives('must not validate the schema (not)');
}
