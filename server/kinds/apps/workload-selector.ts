import { type FieldError, FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import { invalidShown } from '#schema/validation/go-list.ts';
import { IMMUTABLE, semanticallyEqual } from '#schema/validation/immutable.ts';
import {
  isEmptySelector,
  type LabelSelector,
  labelMatcher,
  labelSelectorText,
  validateLabelSelector,
} from '#schema/validation/label-selector.ts';
import type { Labels } from '#schema/validation/labels.ts';
import { shownLabels, shownSelector } from '#schema/validation/shown-values.ts';

/**
 * Validates that a selector does not select every pod. With such a selector, the controller would adopt unrelated pods.
 */
export function validateNotEmpty(selector: LabelSelector, kind: string, path: FieldPath): FieldError[] {
  if (!isEmptySelector(selector)) return [];
  return [invalidShown(path, shownSelector(selector), `empty selector is invalid for ${kind}`)];
}

/**
 * Validates the selector of a controller. It must be present, well formed and not empty. `kind` is a word of the
 * message.
 */
export function validateWorkloadSelector(
  selector: LabelSelector | null | undefined,
  kind: string,
  path: FieldPath,
): FieldError[] {
  if (selector === undefined || selector === null) return [required(path)];
  return [...validateLabelSelector(selector, path), ...validateNotEmpty(selector, kind, path)];
}

/** Whether a selector is well formed. A missing one is: it selects nothing. */
export function isUsable(selector: LabelSelector | null | undefined, path: FieldPath): boolean {
  return validateLabelSelector(selector, path).length === 0;
}

/** A selector in a table. */
export function selectorCell(selector: LabelSelector | null | undefined): string {
  return isUsable(selector, new FieldPath()) ? labelSelectorText(selector) || '<none>' : '<error>';
}

/** The error about a malformed selector. */
export function unusable(selector: LabelSelector | null | undefined, path: FieldPath, detail: string): FieldError {
  if (detail === '') return invalidValue(path, selector, '');
  return invalidShown(path, shownSelector(selector), detail);
}

/** Validates that a controller selects the pods that it makes. `path` leads to the template. */
export function validateSelects(
  selector: LabelSelector | null | undefined,
  labels: Labels | undefined,
  path: FieldPath,
): FieldError[] {
  return labelMatcher(selector)(labels) ? [] : [mismatch(labels, path)];
}

/** The error about a template whose labels the selector does not match. `path` leads to the template. */
function mismatch(labels: Labels | undefined, path: FieldPath): FieldError {
  return invalidShown(
    path.child('metadata', 'labels'),
    shownLabels(labels),
    '`selector` does not match template `labels`',
  );
}

/** Validates that a selector has not changed. */
export function validateSelectorKept(
  selector: LabelSelector | null | undefined,
  old: LabelSelector | null | undefined,
  path: FieldPath,
): FieldError[] {
  return semanticallyEqual(selector, old) ? [] : [invalidShown(path, shownSelector(selector), IMMUTABLE)];
}
