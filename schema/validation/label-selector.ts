import { type FieldError, type FieldPath, forbiddenField, invalidValue, required } from '#base/errors/field-error.ts';
import { type Labels, validateLabelKey, validateLabels } from './labels.ts';
import { labelValue } from './names.ts';

/** A condition on one label, as in `matchExpressions`. */
export interface SelectorRequirement {
  key?: string;
  operator?: string;
  values?: readonly string[] | null;
}

/** A selector in the body of an object. */
export interface LabelSelector {
  matchLabels?: Labels;
  matchExpressions?: readonly SelectorRequirement[];
}

/**
 * Validates keys, operators, whether values are present, and since 1.26 the values themselves. A missing selector is
 * valid.
 */
export function validateLabelSelector(selector: LabelSelector | null | undefined, path: FieldPath): FieldError[] {
  if (selector == null) return [];
  return [
    ...validateLabels(selector.matchLabels, path.child('matchLabels')),
    ...(selector.matchExpressions ?? []).flatMap((requirement, i) =>
      validateRequirement(requirement, path.child('matchExpressions').index(i)),
    ),
  ];
}

/** The detail of the error that the values are missing which the operator needs. */
export const VALUES_NEEDED = "must be specified when `operator` is 'In' or 'NotIn'";
/** The detail of the error that the operator does not allow values. */
export const VALUES_FORBIDDEN = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
/** The detail of the error about an unknown operator. */
export const UNKNOWN_OPERATOR = 'not a valid selector operator';

function validateRequirement({ key, operator = '', values }: SelectorRequirement, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const given = values?.length ?? 0;
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (given === 0) errors.push(required(path.child('values'), VALUES_NEEDED));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (given > 0) errors.push(forbiddenField(path.child('values'), VALUES_FORBIDDEN));
      break;
    default:
      errors.push(invalidValue(path.child('operator'), operator, UNKNOWN_OPERATOR));
  }
  return [
    ...errors,
    ...validateLabelKey(key, path.child('key')),
    ...labelValueErrors(values, path.child('values'), 26),
  ];
}

/**
 * Errors of values that no label can have. Releases before `from` do not find them.
 *
 * @param from the first release that finds these errors: 26 for 1.26
 * @example labelValueErrors(['-'], new FieldPath('values'), 26).map(({ field }) => field) // => ['values[0]']
 */
export function labelValueErrors(
  values: readonly string[] | null | undefined,
  path: FieldPath,
  from: number,
): FieldError[] {
  return (values ?? []).flatMap((value, i) =>
    labelValue(value).map((problem) => ({ ...invalidValue(path.index(i), value, problem), from })),
  );
}

/** Whether a selector has no requirements, so that it selects everything. */
export function isEmptySelector(selector: LabelSelector): boolean {
  return Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
}

/**
 * Returns a function that says whether labels are selected. A missing selector selects nothing, and an empty selector
 * selects everything.
 */
export function labelMatcher(selector: LabelSelector | null | undefined): (labels: Labels | undefined) => boolean {
  if (selector == null) return () => false;
  const tests = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => requirementTest(key, 'In', [value])),
    ...(selector.matchExpressions ?? []).map(({ key = '', operator = '', values }) =>
      requirementTest(key, operator, values ?? []),
    ),
  ];
  return (labels) => tests.every((test) => test(labels ?? {}));
}

function requirementTest(key: string, operator: string, values: readonly string[]): (labels: Labels) => boolean {
  const wanted = new Set(values);
  const value = (labels: Labels) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  switch (operator) {
    case 'In':
      return (labels) => wanted.has(value(labels) ?? '') && value(labels) !== undefined;
    case 'NotIn':
      return (labels) => value(labels) === undefined || !wanted.has(value(labels) ?? '');
    case 'Exists':
      return (labels) => value(labels) !== undefined;
    case 'DoesNotExist':
      return (labels) => value(labels) === undefined;
    default:
      return () => false;
  }
}

/** A selector in the text form of queries and of the scale subresource: `app=d,tier in (a,b),!old`. */
export function labelSelectorText(selector: LabelSelector | null | undefined): string {
  const requirements: [key: string, text: string][] = [
    ...Object.entries(selector?.matchLabels ?? {}).map(([key, value]): [string, string] => [key, `${key}=${value}`]),
    ...(selector?.matchExpressions ?? []).map((requirement): [string, string] => [
      requirement.key ?? '',
      requirementText(requirement),
    ]),
  ];
  requirements.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return requirements.map(([, text]) => text).join(',');
}

function requirementText({ key = '', operator, values }: SelectorRequirement): string {
  const list = [...(values ?? [])].sort().join(',');
  if (operator === 'In') return `${key} in (${list})`;
  if (operator === 'NotIn') return `${key} notin (${list})`;
  return operator === 'DoesNotExist' ? `!${key}` : key;
}
