import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  FieldPath,
  forbiddenField,
  inWordsOf,
  notSupported,
  notSupportedAs,
  required,
} from '#base/errors/field-error.ts';
import { invalid } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import { validateFieldManager } from '#schema/validation/field-manager.ts';
import type { RequestContext } from './request-context.ts';
import { flag } from './request-info.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** The checked query of a write. */
export interface WriteOptions {
  readonly kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

const MAX_MANAGER = 128;

/** A list of texts in Go's form, for refusals of `dryRun`. */
function goStrings(values: readonly string[]): string {
  return `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
}

/** Errors of `dryRun` values. With an empty value, the request is an ordinary one. */
export function dryRunErrors(values: readonly string[]): FieldError[] {
  if (values.every((value) => value === 'All' || value === '')) return [];
  const later = notSupportedAs('dryRun', JSON.stringify(values), ['All']);
  return [{ ...notSupportedAs('dryRun', goStrings(values), ['All']), since: [[37, later]] }];
}

/** The wording of refusals. */
export interface WordsOfRefusals {
  readonly naming: Pick<Naming, 'group'>;
  readonly schema: { readonly release: Release };
}

/** The name of the manager for a request without one: the product in its user agent. */
function managerOf(context: RequestContext): string {
  const agent = (context.header('user-agent') ?? '').split('/')[0]!;
  return [...agent].filter(isPrintable).join('').slice(0, MAX_MANAGER) || 'unknown';
}

function isPrintable(char: string): boolean {
  return char >= ' ' && char !== '\u007f';
}

/**
 * Reads the query of a create, update or patch. `apply` means that the patch is a server-side apply. It needs a manager
 * and may force.
 *
 * @throws StatusError (422) for unknown values
 */
export function writeOptions(
  context: RequestContext,
  kind: WriteOptions['kind'],
  { naming, schema }: WordsOfRefusals,
  apply = false,
): WriteOptions {
  const { query } = context;
  const errors: FieldError[] = [];
  const manager = query.get('fieldManager') ?? '';
  const force = query.get('force');
  if (kind === 'PatchOptions') {
    if (apply && manager === '') errors.push(required('fieldManager', 'is required for apply patch'));
    if (!apply && force !== null) errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  }
  append(errors, validateFieldManager(manager, new FieldPath('fieldManager')));
  const dryRun = query.getAll('dryRun');
  append(errors, dryRunErrors(dryRun));
  const validation = query.get('fieldValidation') ?? '';
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(validation)) {
    errors.push(notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (errors.length > 0) throw invalid({ group: naming.group('meta'), kind }, '', inWordsOf(errors, schema.release));
  return {
    kind,
    dryRun: dryRun.includes('All'),
    fieldManager: manager === '' ? managerOf(context) : manager,
    fieldValidation: validation === '' ? 'Warn' : (validation as FieldValidation),
    force: flag(force),
  };
}
