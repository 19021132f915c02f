import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, invalidValue, notSupported, required } from '#base/errors/field-error.ts';
import type { Release } from '#base/release/release.ts';
import { admissionPolicyVersions } from '#schema/conversion/admissionregistration/admission-policies.ts';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicySpec,
  Mutation,
} from '#schema/generated/admissionregistration.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import type { KindRules } from '../../api/resource-definition.ts';
import type { Answers } from '../../expressions/admission/compile-condition.ts';
import type { VariableChoice } from '../../expressions/admission/variable-types.ts';
import type { CelField } from '../../expressions/cel-type.ts';
import { defineKind } from '../define-kind.ts';
import { ExpressionChecks } from './expression-checks.ts';
import { validateMutatingOperations } from './match-resources.ts';
import { leaveMark } from './policy-mark.ts';
import { shownParamKind } from './policy-params.ts';
import { commonTexts, validatePolicySpec } from './policy-spec.ts';
import { reservedName, reservedNameWarnings } from './reserved-names.ts';

const SPEC = new FieldPath('spec');
const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];

/** The kinds of mutations, with the field of each and the result type of its expression. */
const WAYS: ReadonlyMap<string, { readonly field: 'applyConfiguration' | 'jsonPatch'; readonly answers: Answers }> =
  new Map([
    ['ApplyConfiguration', { field: 'applyConfiguration', answers: ['Object'] }],
    ['JSONPatch', { field: 'jsonPatch', answers: ['list(JSONPatch)'] }],
  ]);

function validateMutation(
  mutation: Mutation,
  choice: VariableChoice,
  checks: ExpressionChecks,
  path: FieldPath,
): FieldError[] {
  const { patchType } = mutation;
  if (patchType === '') return [required(path.child('patchType'))];
  const way = WAYS.get(patchType);
  if (way === undefined) return [notSupported(path.child('patchType'), patchType, [...WAYS.keys()])];
  const errors: FieldError[] = [];
  const at = path.child(way.field);
  const given = mutation[way.field];
  if (given == null) errors.push(required(at, `must be specified when patchType is ${patchType}`));
  else {
    const text = (given.expression ?? '').trim();
    if (text === '') errors.push(required(at.child('expression')));
    else append(errors, checks.check(text, choice, way.answers, at.child('expression')).errors);
  }
  for (const { field } of WAYS.values()) {
    if (field === way.field || mutation[field] == null) continue;
    const why = `must not be specified when patchType is ${patchType}`;
    errors.push(invalidValue(path.child(field), `{${field}}`, why));
  }
  return errors;
}

function textsOf(spec: MutatingAdmissionPolicySpec | undefined): ReadonlySet<string> {
  const changes = (spec?.mutations ?? []).flatMap(({ applyConfiguration, jsonPatch }) => [
    applyConfiguration?.expression?.trim() ?? '',
    jsonPatch?.expression?.trim() ?? '',
  ]);
  return new Set([...changes, ...commonTexts(spec)]);
}

function validate(
  { spec = {} }: MutatingAdmissionPolicy,
  release: Release,
  old?: MutatingAdmissionPolicySpec,
): FieldError[] {
  const { mutations = [], reinvocationPolicy = '' } = spec;
  const checks = new ExpressionChecks(release, textsOf(old));
  const known = new Map<string, CelField>();
  const errors = validatePolicySpec(spec, old, checks, known, SPEC, validateMutatingOperations);
  const at = SPEC.child('mutations');
  if (mutations.length === 0) errors.push(required(at, 'mutations must contain at least one item'));
  const choice = { params: spec.paramKind != null, authorizer: true, variables: known, mutates: true };
  append(
    errors,
    mutations.flatMap((each, i) => validateMutation(each, choice, checks, at.index(i))),
  );
  const again = SPEC.child('reinvocationPolicy');
  if (reinvocationPolicy === '') errors.push(required(again));
  else if (!REINVOCATION_POLICIES.includes(reinvocationPolicy)) {
    errors.push(notSupported(again, reinvocationPolicy, REINVOCATION_POLICIES));
  }
  return errors;
}

/** The rules of policies that change objects by expressions, in a release. */
export function createMutatingPolicyRules(release: Release): KindRules<MutatingAdmissionPolicy> {
  return defineKind('admissionregistration/mutatingadmissionpolicies', {
    anyFinalizers: true,
    versions: admissionPolicyVersions,
    validate: (object, context, old) => [...validate(object, release, old?.spec), ...reservedName(object, context)],
    validateUpdate: (object, old) => validate(object, release, old.spec),
    warnings: reservedNameWarnings,
    allocate: leaveMark,
    cells: ({ metadata, spec }, { now }) => [
      metadata.name ?? '',
      spec?.mutations?.length ?? 0,
      shownParamKind(spec?.paramKind),
      age(metadata.creationTimestamp, now),
    ],
  });
}
