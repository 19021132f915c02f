import { type FieldError, type FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { Variable } from '#schema/generated/admissionregistration.v1.ts';
import { type CelField, DYN } from '../../expressions/cel-type.ts';
import { RESERVED_WORDS } from '../../expressions/reserved-words.ts';
import type { ExpressionChecks } from './expression-checks.ts';

/**
 * Checks variables in their order. Each can use those before it.
 * @param known gets the types of the variables
 */
export function validateVariables(
  variables: readonly Variable[] | undefined,
  known: Map<string, CelField>,
  checks: ExpressionChecks,
  params: boolean,
  path: FieldPath,
): FieldError[] {
  return (variables ?? []).flatMap(({ name, expression }, i) => {
    const at = path.index(i);
    const errors: FieldError[] = [];
    if (name.trim() === '') errors.push(required(at.child('name'), 'name is not specified'));
    else if (!/^[_a-zA-Z]\w*$/.test(name) || RESERVED_WORDS.has(name)) {
      errors.push(invalidValue(at.child('name'), name, 'must be a valid CEL identifier'));
    }
    if (expression.trim() === '') {
      return [...errors, required(at.child('expression'), 'expression is not specified')];
    }
    const choice = { params, authorizer: true, variables: known };
    const { errors: wrong, type = DYN } = checks.check(expression, choice, [], at.child('expression'));
    known.set(name, { name, type, size: 0 });
    return [...errors, ...wrong];
  });
}
