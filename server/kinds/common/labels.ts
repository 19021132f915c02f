import { type FieldError, type FieldPath, invalidValue } from '../../errors/field-error.ts';
import { labelValue, qualifiedName } from './names.ts';

/** Labels as objects carry them and as selectors ask for them. */
export type Labels = Readonly<Record<string, string>>;

/** The key of a label, and whatever else is named like one. */
export function validateLabelKey(key: string | undefined, path: FieldPath): FieldError[] {
  return qualifiedName(key ?? '').map((problem) => invalidValue(path, key ?? '', problem));
}

/** Keys and values of labels, in the order of their keys; every error is at `path`, without the key. */
export function validateLabels(labels: Labels | undefined, path: FieldPath): FieldError[] {
  return Object.entries(labels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, value]) => [
      ...validateLabelKey(key, path),
      ...labelValue(value).map((problem) => invalidValue(path, value, problem)),
    ]);
}
