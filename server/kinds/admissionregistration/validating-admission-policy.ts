import { append } from '#base/collections/append.ts';
import {
  duplicate,
  type FieldError,
  FieldPath,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { Release } from '#base/release/release.ts';
import { admissionPolicyVersions } from '#schema/conversion/admissionregistration/admission-policies.ts';
import type {
  AuditAnnotation,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  Validation,
} from '#schema/generated/admissionregistration.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { validateConditions } from '#schema/validation/conditions.ts';
import { age } from '#schema/validation/human-duration.ts';
import { qualifiedName } from '#schema/validation/names.ts';
import type { KindRules, WriteContext } from '../../api/resource-definition.ts';
import type { CelField } from '../../expressions/cel-type.ts';
import { defineKind } from '../define-kind.ts';
import { keepAllButStatus, METADATA_AND_SPEC } from '../status-view.ts';
import { ExpressionChecks } from './expression-checks.ts';
import { leaveMark } from './policy-mark.ts';
import { shownParamKind } from './policy-params.ts';
import { commonTexts, validatePolicySpec } from './policy-spec.ts';
import { reservedName, reservedNameWarnings } from './reserved-names.ts';

const SPEC = new FieldPath('spec');
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const MAX_ANNOTATIONS = bounds['admissionregistration.v1.ValidatingAdmissionPolicySpec'].auditAnnotations.maxItems;
const MAX_VALUE_EXPRESSION = bounds['admissionregistration.v1.AuditAnnotation'].valueExpression.maxLength;
const NOTHING = 'validations or auditAnnotations must contain at least one item';

/** The variables that expressions of a policy can use. */
interface Sight {
  readonly params: boolean;
  readonly variables: ReadonlyMap<string, CelField>;
}

function validateValidation(
  { expression, message = '', messageExpression = '', reason }: Validation,
  { params, variables }: Sight,
  checks: ExpressionChecks,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (expression.trim() === '') errors.push(required(path.child('expression'), 'expression is not specified'));
  else {
    const choice = { params, variables, authorizer: true };
    append(errors, checks.check(expression, choice, ['bool'], path.child('expression')).errors);
  }
  const empty = 'must be non-empty if specified';
  if (messageExpression.trim() !== '') {
    const at = path.child('messageExpression');
    append(errors, checks.check(messageExpression, { params, variables }, ['string'], at).errors);
  } else if (messageExpression !== '') {
    errors.push(invalidValue(path.child('messageExpression'), messageExpression, empty));
  }
  if (message !== '' && message.trim() === '') errors.push(invalidValue(path.child('message'), message, empty));
  else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalidValue(path.child('message'), message, 'must not contain line breaks'));
  }
  if (reason !== undefined && !REASONS.includes(reason)) {
    errors.push(notSupported(path.child('reason'), reason, REASONS));
  }
  return errors;
}

function validateAnnotations(
  annotations: readonly AuditAnnotation[],
  policy: string,
  sight: Sight,
  checks: ExpressionChecks,
): FieldError[] {
  const path = SPEC.child('auditAnnotations');
  const errors: FieldError[] = [];
  if (annotations.length > MAX_ANNOTATIONS) {
    errors.push(invalidValue(path, annotations, `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`));
  }
  const keys = new Set<string>();
  for (const [i, { key, valueExpression }] of annotations.entries()) {
    const at = path.index(i);
    const full = `${policy}/${key}`;
    const problems = policy === '' ? ['requires metadata.name be non-empty'] : qualifiedName(full);
    append(
      errors,
      problems.map((problem) => invalidValue(at.child('key'), policy === '' ? key : full, problem)),
    );
    append(errors, validateValue(valueExpression, sight, checks, at.child('valueExpression')));
    if (keys.has(key)) errors.push(duplicate(at.child('key'), key));
    keys.add(key);
  }
  return errors;
}

function validateValue(expression: string, sight: Sight, checks: ExpressionChecks, path: FieldPath): FieldError[] {
  const text = expression.trim();
  if (text === '') return [required(path, 'valueExpression is not specified')];
  if (Buffer.byteLength(text) > MAX_VALUE_EXPRESSION) {
    return [required(path, `must not exceed ${MAX_VALUE_EXPRESSION} bytes in length`)];
  }
  const { params, variables } = sight;
  const choice = { params, authorizer: true, variables };
  return checks.check(text, choice, ['string', 'null_type'], path, expression).errors;
}

function textsOf(spec: ValidatingAdmissionPolicySpec | undefined): ReadonlySet<string> {
  return new Set([
    ...(spec?.validations ?? []).flatMap(({ expression, messageExpression = '' }) => [expression, messageExpression]),
    ...(spec?.auditAnnotations ?? []).map(({ valueExpression }) => valueExpression),
    ...commonTexts(spec),
  ]);
}

function validate(
  { metadata, spec = {} }: ValidatingAdmissionPolicy,
  release: Release,
  old?: ValidatingAdmissionPolicySpec,
): FieldError[] {
  const { validations = [], auditAnnotations = [] } = spec;
  const checks = new ExpressionChecks(release, textsOf(old));
  const known = new Map<string, CelField>();
  const errors = validatePolicySpec(spec, old, checks, known, SPEC);
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const nothing = ['validations', 'auditAnnotations'].map((field) => required(SPEC.child(field), NOTHING));
    return [...errors, ...nothing];
  }
  const sight = { params: spec.paramKind != null, variables: known };
  return [
    ...errors,
    ...validations.flatMap((each, i) => validateValidation(each, sight, checks, SPEC.child('validations').index(i))),
    ...validateAnnotations(auditAnnotations, metadata.name ?? '', sight, checks),
  ];
}

function validateStatus(
  { status }: ValidatingAdmissionPolicy,
  _old: ValidatingAdmissionPolicy,
  { release }: WriteContext,
): FieldError[] {
  const path = new FieldPath('status');
  const warnings = path.child('typeChecking', 'expressionWarnings');
  return [
    ...(status?.typeChecking?.expressionWarnings ?? []).flatMap(({ fieldRef, warning }, i) => [
      ...(warning === '' ? [required(warnings.index(i).child('warning'))] : []),
      ...(fieldRef.trim() === '' ? [required(warnings.index(i).child('fieldRef'))] : []),
    ]),
    ...validateConditions(status?.conditions, path.child('conditions'), release),
  ];
}

/** The rules of policies that validate objects by expressions, in a release. */
export function createValidatingPolicyRules(release: Release): KindRules<ValidatingAdmissionPolicy> {
  return defineKind('admissionregistration/validatingadmissionpolicies', {
    anyFinalizers: true,
    versions: admissionPolicyVersions,
    validate: (object, context, old) => [...validate(object, release, old?.spec), ...reservedName(object, context)],
    validateUpdate: (object, old) => validate(object, release, old.spec),
    warnings: reservedNameWarnings,
    allocate: leaveMark,
    cells: ({ metadata, spec }, { now }) => [
      metadata.name ?? '',
      spec?.validations?.length ?? 0,
      shownParamKind(spec?.paramKind),
      age(metadata.creationTimestamp, now),
    ],
    statusResets: METADATA_AND_SPEC,
    subresources: { status: { prepareForUpdate: keepAllButStatus, validateUpdate: validateStatus } },
  });
}
