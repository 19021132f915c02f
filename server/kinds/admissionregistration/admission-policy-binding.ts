import {
  declared,
  duplicate,
  type FieldError,
  FieldPath,
  invalidValue,
  notSupported,
  replacedByRule,
  required,
} from '#base/errors/field-error.ts';
import { admissionPolicyBindingVersions } from '#schema/conversion/admissionregistration/admission-policies.ts';
import type {
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicyBinding,
} from '#schema/generated/admissionregistration.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { dns1123Subdomain } from '#schema/validation/names.ts';
import type { Cell, TableContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { validateMatchResources, validateMutatingOperations } from './match-resources.ts';
import { leaveMark } from './policy-mark.ts';
import { shownParams, validateParamRef } from './policy-params.ts';
import { reservedName, reservedNameWarnings } from './reserved-names.ts';

const SPEC = new FieldPath('spec');
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const TWICE =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

function validateActions(actions: readonly string[], path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  for (const [i, action] of actions.entries()) {
    if (!ACTIONS.includes(action)) errors.push(notSupported(path.index(i), action, ACTIONS));
    if (seen.has(action)) errors.push(duplicate(path.index(i), action));
    seen.add(action);
  }
  if (seen.has('Deny') && seen.has('Warn')) errors.push(invalidValue(path, actions, TWICE));
  if (seen.size === 0) {
    const error = required(path, 'at least one validation action is required');
    errors.push(replacedByRule(error, 37, required(path)));
  }
  return errors;
}

function validateUse({ policyName = '', paramRef, matchResources }: MutatingAdmissionPolicyBindingSpec): FieldError[] {
  const path = SPEC.child('policyName');
  const name =
    policyName === ''
      ? [required(path)]
      : dns1123Subdomain(policyName).map((problem) => invalidValue(path, policyName, problem));
  return [
    ...name,
    ...validateParamRef(paramRef, SPEC.child('paramRef')),
    ...validateMatchResources(matchResources, SPEC.child('matchResources')),
  ];
}

function validate({ spec = {} }: ValidatingAdmissionPolicyBinding): FieldError[] {
  const use = validateUse(spec);
  const isNameless = (spec.policyName ?? '') === '';
  return [
    ...(isNameless ? [...declared(use.slice(0, 1), 37), ...use.slice(1)] : use),
    ...validateActions(spec.validationActions ?? [], SPEC.child('validationActions')),
  ];
}

function validateMutating({ spec = {} }: MutatingAdmissionPolicyBinding): FieldError[] {
  return [...validateUse(spec), ...validateMutatingOperations(spec.matchResources, SPEC.child('matchResources'))];
}

function cells({ metadata, spec }: MutatingAdmissionPolicyBinding, { now }: TableContext): Cell[] {
  return [
    metadata.name ?? '',
    spec?.policyName ?? '',
    shownParams(spec?.paramRef),
    age(metadata.creationTimestamp, now),
  ];
}

/** A binding. It says where an admission policy applies, with which parameters, and what happens after a violation. */
export const validatingAdmissionPolicyBinding = defineKind('admissionregistration/validatingadmissionpolicybindings', {
  anyFinalizers: true,
  versions: admissionPolicyBindingVersions,
  validate: (object, context) => [...validate(object), ...reservedName(object, context)],
  validateUpdate: validate,
  warnings: reservedNameWarnings,
  allocate: leaveMark,
  cells,
});

/** The rules of bindings. A binding puts a policy into force for certain requests and with certain parameters. */
export const mutatingAdmissionPolicyBinding = defineKind('admissionregistration/mutatingadmissionpolicybindings', {
  anyFinalizers: true,
  versions: admissionPolicyBindingVersions,
  validate: (object, context) => [...validateMutating(object), ...reservedName(object, context)],
  validateUpdate: validateMutating,
  warnings: reservedNameWarnings,
  allocate: leaveMark,
  cells,
});
