import { firstOf } from '#base/collections/first-of.ts';
import { compareText } from '#base/collections/sort-short.ts';
import { MOST_ERRORS, StatusError } from '#base/errors/status-error.ts';
import type { Manager } from './managers.ts';
import type { Conflict } from './ownership.ts';
import { pathText } from './path-element.ts';

/**
 * The error 409 of an apply that would change fields of other managers. It has one cause for each field and manager, up
 * to a thousand.
 */
export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const sorted = [...conflicts].sort((a, b) => compareText(shownManager(a.manager), shownManager(b.manager)));
  let left = MOST_ERRORS;
  const found = sorted.flatMap(({ manager, fields }) => {
    const paths = firstOf(fields.paths(), left).map(pathText);
    left -= paths.length;
    return paths.length === 0 ? [] : [{ who: shownManager(manager), paths }];
  });
  const count = conflicts.reduce((sum, { fields }) => sum + fields.size, 0);
  const causes = found.flatMap(({ who, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  );
  return new StatusError(409, 'Conflict', `Apply failed with ${summary(found, count)}`, { causes });
}

function summary(found: readonly { who: string; paths: readonly string[] }[], count: number): string {
  const [first] = found;
  if (count === 1 && first !== undefined) return `1 conflict: conflict with ${first.who}: ${first.paths.join()}`;
  const lines = found.flatMap(({ who, paths }) => [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)]);
  const shown = found.reduce((sum, { paths }) => sum + paths.length, 0);
  if (shown < count) lines.push(`and ${count - shown} more`);
  return `${count} conflicts: ${lines.join('\n')}`;
}

function shownManager({ manager, operation, apiVersion, subresource }: Manager): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${through}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
