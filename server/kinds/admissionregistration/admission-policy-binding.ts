import {
  duplicate,
  type FieldError,
  FieldPath,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import { admissionPolicyBindingVersions } from '#schema/conversion/admissionregistration/admission-policies.ts';
import type { ParamRef, ValidatingAdmissionPolicyBinding } from '#schema/generated/admissionregistration.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { labelSelectorText } from '#schema/validation/label-selector.ts';
import { dns1123Subdomain } from '#schema/validation/names.ts';
import { defineKind } from '../define-kind.ts';
import { validateMatchResources } from './match-resources.ts';
import { validateParamRef } from './policy-params.ts';

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
  if (seen.size === 0) errors.push(required(path, 'at least one validation action is required'));
  return errors;
}

function validate({ spec = {} }: ValidatingAdmissionPolicyBinding): FieldError[] {
  const { policyName = '', paramRef, matchResources, validationActions = [] } = spec;
  const path = SPEC.child('policyName');
  const name =
    policyName === ''
      ? [required(path)]
      : dns1123Subdomain(policyName).map((problem) => invalidValue(path, policyName, problem));
  return [
    ...name,
    ...validateParamRef(paramRef, SPEC.child('paramRef')),
    ...validateMatchResources(matchResources, SPEC.child('matchResources')),
    ...validateActions(validationActions, SPEC.child('validationActions')),
  ];
}

/** The parameters as a table shows them. */
function shownParams(ref: ParamRef | null | undefined): string {
  if (ref == null) return '<unset>';
  const { name = '', namespace = '', selector } = ref;
  if (name !== '') return `${namespace === '' ? '*' : namespace}/${name}`;
  return selector == null ? '<unset>' : labelSelectorText(selector);
}

/** Where a policy of admission is in force, with which parameters, and what follows when it is broken. */
export const validatingAdmissionPolicyBinding = defineKind('admissionregistration/validatingadmissionpolicybindings', {
  versions: admissionPolicyBindingVersions,
  validate,
  validateUpdate: validate,
  cells: ({ metadata, spec }, { now }) => [
    metadata.name ?? '',
    spec?.policyName ?? '',
    shownParams(spec?.paramRef),
    age(metadata.creationTimestamp, now),
  ],
});
