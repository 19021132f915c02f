import { type FieldError, type FieldPath, forbiddenField, invalidValue, required } from '#base/errors/field-error.ts';
import {
  labelValueErrors,
  type SelectorRequirement,
  UNKNOWN_OPERATOR,
  VALUES_FORBIDDEN,
  VALUES_NEEDED,
} from './label-selector.ts';
import { validateLabelKey } from './labels.ts';
import { subdomainName } from './names.ts';

export interface NodeSelectorTerm {
  matchExpressions?: readonly SelectorRequirement[];
  matchFields?: readonly SelectorRequirement[];
}

export interface NodeSelector {
  nodeSelectorTerms?: readonly NodeSelectorTerm[] | null;
}

export interface PreferredTerm {
  weight?: number;
  preference?: NodeSelectorTerm;
}

/** Validates terms that select nodes. At least one is required. */
export function validateNodeSelector(selector: NodeSelector, path: FieldPath): FieldError[] {
  const terms = selector.nodeSelectorTerms ?? [];
  const at = path.child('nodeSelectorTerms');
  if (terms.length === 0) return [required(at, 'must have at least one node selector term')];
  return terms.flatMap((term, i) => [
    ...validateNodeSelectorTerm(term, at.index(i)),
    ...(term.matchExpressions ?? []).flatMap(({ values }, j) =>
      labelValueErrors(values, at.index(i).child('matchExpressions').index(j).child('values'), 33),
    ),
  ]);
}

/** Validates terms with a weight of 1 to 100. */
export function validatePreferredTerms(terms: readonly PreferredTerm[] | undefined, path: FieldPath): FieldError[] {
  return (terms ?? []).flatMap(({ weight = 0, preference = {} }, i) => [
    ...validateWeight(weight, path.index(i).child('weight')),
    ...validateNodeSelectorTerm(preference, path.index(i).child('preference')),
  ]);
}

/** Validates the weight of a preference: 1 to 100. */
export function validateWeight(weight: number, path: FieldPath): FieldError[] {
  return weight >= 1 && weight <= 100 ? [] : [invalidValue(path, weight, 'must be in the range 1-100')];
}

function validateNodeSelectorTerm(term: NodeSelectorTerm, path: FieldPath): FieldError[] {
  return [
    ...(term.matchExpressions ?? []).flatMap((requirement, i) =>
      validateLabelRequirement(requirement, path.child('matchExpressions').index(i)),
    ),
    ...(term.matchFields ?? []).flatMap((requirement, i) =>
      validateFieldRequirement(requirement, path.child('matchFields').index(i)),
    ),
  ];
}

function validateLabelRequirement(requirement: SelectorRequirement, path: FieldPath): FieldError[] {
  const { key, operator = '' } = requirement;
  const given = requirement.values?.length ?? 0;
  const values = path.child('values');
  const errors: FieldError[] = [];
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (given === 0) errors.push(required(values, VALUES_NEEDED));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (given > 0) errors.push(forbiddenField(values, VALUES_FORBIDDEN));
      break;
    case 'Gt':
    case 'Lt':
      if (given !== 1) errors.push(required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalidValue(path.child('operator'), operator, UNKNOWN_OPERATOR));
  }
  return [...errors, ...validateLabelKey(key, path.child('key'))];
}

function validateFieldRequirement(
  { key = '', operator = '', values }: SelectorRequirement,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalidValue(path.child('operator'), operator, UNKNOWN_OPERATOR));
  } else if (values?.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(path.child('values'), detail));
  }
  if (key !== 'metadata.name') {
    return [...errors, invalidValue(path.child('key'), key, 'not a valid field selector key')];
  }
  const names = (values ?? []).flatMap((name, i) =>
    subdomainName(name).map((problem) => invalidValue(path.child('values').index(i), name, problem)),
  );
  return [...errors, ...names];
}
