import { append } from '#base/collections/append.ts';
import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalidValue,
  required,
  tooMany,
} from '#base/errors/field-error.ts';
import { latestRelease, type Release } from '#base/release/release.ts';
import type { MatchCondition } from '#schema/generated/admissionregistration.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { qualifiedName } from '#schema/validation/names.ts';
import { type Answers, compileAdmission } from '../../expressions/admission/compile-condition.ts';
import type { VariableChoice } from '../../expressions/admission/variable-types.ts';
import type { CelType } from '../../expressions/cel-type.ts';
import { environmentOf } from '../../expressions/environment.ts';

const MAX_CONDITIONS = bounds['admissionregistration.v1.ValidatingWebhook'].matchConditions.maxItems;

/**
 * Checks expressions by the rules of the current release. Expressions that were stored before may use the features of
 * any release.
 */
export class ExpressionChecks {
  readonly #release: Release;
  readonly #stored: ReadonlySet<string>;

  /** @param stored the expressions of the object before the change */
  constructor(release: Release, stored: ReadonlySet<string> = new Set()) {
    this.#release = release;
    this.#stored = stored;
  }

  /** The error about an expression, or its type. */
  check(
    text: string,
    choice: VariableChoice,
    answers: Answers,
    path: FieldPath,
    shown = text,
  ): { readonly errors: FieldError[]; readonly type?: CelType } {
    const environment = environmentOf(this.#stored.has(shown) ? latestRelease : this.#release);
    const compiled = compileAdmission(text, choice, answers, environment);
    if ('problem' in compiled) return { errors: [invalidValue(path, shown, compiled.problem)] };
    return { errors: [], type: compiled.expression.type };
  }

  /** Errors of the conditions of a webhook or policy. */
  conditions(conditions: readonly MatchCondition[] | undefined, path: FieldPath, params: boolean): FieldError[] {
    const list = conditions ?? [];
    const names = new Set<string>();
    const errors = list.length > MAX_CONDITIONS ? [tooMany(path, list.length, MAX_CONDITIONS)] : [];
    for (const [i, { name, expression }] of list.entries()) {
      const at = path.index(i);
      const text = expression.trim();
      const choice = { params, authorizer: true };
      if (text === '') errors.push(required(at.child('expression')));
      else append(errors, this.check(text, choice, ['bool'], at.child('expression')).errors);
      if (name === '') errors.push(required(at.child('name')));
      else
        append(
          errors,
          qualifiedName(name).map((problem) => invalidValue(at.child('name'), name, problem)),
        );
      if (name !== '' && names.has(name)) errors.push(duplicate(at.child('name'), name));
      names.add(name);
    }
    return errors;
  }
}
