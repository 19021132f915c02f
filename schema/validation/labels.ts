import { append } from '#base/collections/append.ts';
import { compareText, sortShort } from '#base/collections/sort-short.ts';
import { type FieldError, type FieldPath, invalidValue } from '#base/errors/field-error.ts';
import { labelValue, qualifiedName } from './names.ts';

/** Labels, in objects and in selectors. */
export type Labels = Readonly<Record<string, string>>;

/** Validates the key of a label, or another name of the same form. */
export function validateLabelKey(key: string | undefined, path: FieldPath): FieldError[] {
  return qualifiedName(key ?? '').map((problem) => invalidValue(path, key ?? '', problem));
}

/** Validates keys and values of labels, in the order of the keys. Every error is at `path`, without the key. */
export function validateLabels(labels: Labels | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (labels === undefined) return errors;
  for (const key of sortShort(Object.keys(labels), compareText)) {
    append(errors, validateLabelKey(key, path));
    const value = labels[key] ?? '';
    for (const problem of labelValue(value)) errors.push(invalidValue(path, value, problem));
  }
  return errors;
}
