import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, notSupported, required } from '#base/errors/field-error.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import type {
  MatchCondition,
  MatchResources,
  ParamKind,
  Variable,
} from '#schema/generated/admissionregistration.v1.ts';
import type { CelField } from '../../expressions/cel-type.ts';
import type { ExpressionChecks } from './expression-checks.ts';
import { validateMatchResources } from './match-resources.ts';
import { validateParamKind } from './policy-params.ts';
import { validateVariables } from './policy-variables.ts';

const FAILURE_POLICIES = ['Fail', 'Ignore'];

/** The common part of both kinds of policies. */
interface PolicySpec {
  readonly failurePolicy?: string;
  readonly paramKind?: ParamKind | null;
  readonly matchConstraints?: MatchResources | null;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly Variable[];
}

/** Whether conditions need no new check, because neither they nor their inputs have changed. */
function keepsConditions(spec: PolicySpec, old: PolicySpec | undefined): boolean {
  if (old === undefined) return false;
  const same = jsonEqual(spec.paramKind ?? null, old.paramKind ?? null);
  return same && jsonEqual(spec.matchConditions ?? [], old.matchConditions ?? []);
}

/** The expressions of variables and conditions. */
export function commonTexts(spec: PolicySpec | undefined): string[] {
  const all = [...(spec?.variables ?? []), ...(spec?.matchConditions ?? [])];
  return all.map(({ expression }) => expression);
}

/**
 * Errors of the common part of both kinds of policies.
 * @param old the spec before a change
 * @param known gets the types of variables
 * @param more errors of the match that only this kind of policy has
 */
export function validatePolicySpec(
  spec: PolicySpec,
  old: PolicySpec | undefined,
  checks: ExpressionChecks,
  known: Map<string, CelField>,
  path: FieldPath,
  more: (match: MatchResources, path: FieldPath) => FieldError[] = () => [],
): FieldError[] {
  const { failurePolicy, matchConstraints } = spec;
  const params = spec.paramKind != null;
  const errors: FieldError[] = [];
  if (failurePolicy !== undefined && !FAILURE_POLICIES.includes(failurePolicy)) {
    errors.push(notSupported(path.child('failurePolicy'), failurePolicy, FAILURE_POLICIES));
  }
  append(errors, validateParamKind(spec.paramKind, path.child('paramKind')));
  const match = path.child('matchConstraints');
  if (matchConstraints == null) errors.push(required(match));
  else {
    append(errors, validateMatchResources(matchConstraints, match));
    if ((matchConstraints.resourceRules ?? []).length === 0) errors.push(required(match.child('resourceRules')));
    append(errors, more(matchConstraints, match));
  }
  if (!keepsConditions(spec, old)) {
    append(errors, checks.conditions(spec.matchConditions, path.child('matchConditions'), params));
  }
  return [...errors, ...validateVariables(spec.variables, known, checks, params, path.child('variables'))];
}
