import { type FieldError, type FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { CustomResourceColumnDefinition, CustomResourceSubresources } from '#schema/generated/apiextensions.v1.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** The allowed form of the warning about a deprecated version. */
export function validateDeprecation(
  deprecated: boolean | undefined,
  warning: string | undefined,
  path: FieldPath,
): FieldError[] {
  if (warning === undefined) return [];
  if (deprecated !== true) return [invalidValue(path, warning, 'can only be set for deprecated versions')];
  const problems: string[] = [];
  if (warning === '') problems.push('must not be an empty string');
  if (Buffer.byteLength(warning) > 256) problems.push('must be <= 256 characters long');
  const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning);
  if (unprintable !== null) {
    const index = Buffer.byteLength(warning.slice(0, unprintable.index));
    problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
  }
  return problems.map((problem) => invalidValue(path, warning, problem));
}

function simplePathErrors(jsonPath: string, path: FieldPath): FieldError[] {
  if (jsonPath.startsWith('.')) return [];
  return [invalidValue(path, jsonPath, 'must be a simple json path starting with .')];
}

/** A column of tables. */
export function validateColumn(column: CustomResourceColumnDefinition, path: FieldPath): FieldError[] {
  const { name, type, format = '', jsonPath } = column;
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(path.child('name')));
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  if (type === '') errors.push(required(path.child('type'), types));
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalidValue(path.child('type'), type, types));
  if (format !== '' && !COLUMN_FORMATS.includes(format)) {
    errors.push(invalidValue(path.child('format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  }
  const at = path.child('JSONPath');
  return [...errors, ...(jsonPath === '' ? [required(at)] : simplePathErrors(jsonPath, at))];
}

function underErrors(jsonPath: string, roots: readonly string[], path: FieldPath): FieldError[] {
  const errors = simplePathErrors(jsonPath, path);
  if (errors.length > 0 || roots.some((root) => jsonPath.startsWith(`${root}.`))) return errors;
  const where = roots.length === 1 ? roots[0] : `either ${roots.join(' or ')}`;
  return [invalidValue(path, jsonPath, `should be a json path under ${where}`)];
}

/** Errors of subresources, such as the paths of a scale. */
export function validateSubresources(
  subresources: CustomResourceSubresources | undefined,
  path: FieldPath,
): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale;
  const at = (name: string) => path.child('scale', name);
  return [
    ...(specReplicasPath === ''
      ? [required(at('specReplicasPath'))]
      : underErrors(specReplicasPath, ['.spec'], at('specReplicasPath'))),
    ...(statusReplicasPath === ''
      ? [required(at('statusReplicasPath'))]
      : underErrors(statusReplicasPath, ['.status'], at('statusReplicasPath'))),
    ...(labelSelectorPath === '' ? [] : underErrors(labelSelectorPath, ['.spec', '.status'], at('labelSelectorPath'))),
  ];
}
