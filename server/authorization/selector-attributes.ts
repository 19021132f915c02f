import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, forbiddenField, invalidValue, required } from '#base/errors/field-error.ts';
import { StatusError } from '#base/errors/status-error.ts';
import type { FieldSelectorAttributes, LabelSelectorAttributes } from '#schema/generated/authorization.v1.ts';
import { VALUES_FORBIDDEN, VALUES_NEEDED } from '#schema/validation/label-selector.ts';
import { validateLabelKey } from '#schema/validation/labels.ts';
import { labelValue } from '#schema/validation/names.ts';
import { parseRequirements, type Requirement } from '#schema/validation/requirements.ts';
import { parseFieldSelector } from '../api/field-selector.ts';

/** A requirement in the form of reviews. */
export interface ReviewRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: string[];
}

/**
 * The parsed part of a selector. Each requirement only narrows the selection. So the parsed requirements may decide
 * even if others could not be parsed.
 */
export interface ReadSelector {
  readonly requirements: readonly ReviewRequirement[];
  readonly failed: boolean;
}

const NOTHING: ReadSelector = { requirements: [], failed: false };

/**
 * The field requirements of a question. They are `In` and `NotIn` with one value each, because field selectors have no
 * others.
 */
export function readFields(selector: FieldSelectorAttributes | null | undefined): ReadSelector {
  if (selector == null) return NOTHING;
  const { rawSelector = '', requirements = [] } = selector;
  if (requirements !== null && requirements.length > 0) {
    const read = requirements.flatMap(({ key, operator, values }): ReviewRequirement[] =>
      (operator === 'In' || operator === 'NotIn') && values?.length === 1 ? [{ key, operator, values }] : [],
    );
    return { requirements: read, failed: read.length < requirements.length };
  }
  return reading(() =>
    parseFieldSelector(rawSelector).terms.map(({ field, value, equal }) => ({
      key: field,
      operator: equal ? 'In' : 'NotIn',
      values: [value],
    })),
  );
}

/** The label requirements of a question. */
export function readLabels(selector: LabelSelectorAttributes | null | undefined): ReadSelector {
  if (selector == null) return NOTHING;
  const { rawSelector = '', requirements = [] } = selector;
  if (requirements !== null && requirements.length > 0) {
    const read = requirements.flatMap(({ key, operator, values }): ReviewRequirement[] => {
      const valid = isOperator(operator) && (values ?? []).every((value) => labelValue(value).length === 0);
      return valid ? [{ key, operator, ...(values?.length ? { values } : {}) }] : [];
    });
    return { requirements: read, failed: read.length < requirements.length };
  }
  return reading(() => (rawSelector === '' ? [] : parseRequirements(rawSelector).flatMap(spelt)));
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

function isOperator(operator: string): operator is ReviewRequirement['operator'] {
  return (OPERATORS as readonly string[]).includes(operator);
}

/** The operators of reviews. They have none for comparisons of numbers. */
const WORDS: ReadonlyMap<Requirement['operator'], ReviewRequirement['operator']> = new Map([
  ['in', 'In'],
  ['notin', 'NotIn'],
  ['exists', 'Exists'],
  ['!', 'DoesNotExist'],
]);

function spelt({ key, operator, values }: Requirement): ReviewRequirement[] {
  const word = WORDS.get(operator);
  if (word === undefined) return [];
  return [{ key, operator: word, ...(values.size > 0 && { values: [...values] }) }];
}

function reading(read: () => ReviewRequirement[]): ReadSelector {
  try {
    return { requirements: read(), failed: false };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { requirements: [], failed: true };
  }
}

interface SelectorsOfReview {
  readonly fieldSelector?: FieldSelectorAttributes | null;
  readonly labelSelector?: LabelSelectorAttributes | null;
}

/** Errors of the selectors in a review. Operators of later releases are not errors. */
export function checkSelectors({ fieldSelector, labelSelector }: SelectorsOfReview, path: FieldPath): FieldError[] {
  return [
    ...checkSelector(fieldSelector, path.child('fieldSelector'), ({ key }, at) =>
      key === '' ? [required(at.child('key'), 'must be specified')] : [],
    ),
    ...checkSelector(labelSelector, path.child('labelSelector'), ({ key, values }, at) => [
      ...validateLabelKey(key, at.child('key')),
      ...(values ?? []).flatMap((value, i) =>
        labelValue(value).map((problem) => invalidValue(at.child('values').index(i), value, problem)),
      ),
    ]),
  ];
}

interface SentRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: string[] | null;
}

function checkSelector(
  selector:
    | { readonly rawSelector?: string; readonly requirements?: readonly SentRequirement[] | null }
    | null
    | undefined,
  path: FieldPath,
  checkKey: (requirement: SentRequirement, path: FieldPath) => FieldError[],
): FieldError[] {
  if (selector == null) return [];
  const { rawSelector = '' } = selector;
  const requirements = selector.requirements ?? [];
  const errors: FieldError[] = [];
  if (rawSelector !== '' && requirements.length > 0)
    errors.push(
      invalidValue(path.child('rawSelector'), rawSelector, 'may not specified at the same time as requirements'),
    );
  if (rawSelector === '' && requirements.length === 0)
    errors.push(
      required(path.child('requirements'), `when ${path} is specified, requirements or rawSelector is required`),
    );
  for (const [i, requirement] of requirements.entries()) {
    const at = path.child('requirements').index(i);
    const given = requirement.values?.length ?? 0;
    const { operator } = requirement;
    if ((operator === 'In' || operator === 'NotIn') && given === 0)
      errors.push(required(at.child('values'), VALUES_NEEDED));
    if ((operator === 'Exists' || operator === 'DoesNotExist') && given > 0)
      errors.push(forbiddenField(at.child('values'), VALUES_FORBIDDEN));
    append(errors, checkKey(requirement, at));
  }
  return errors;
}
