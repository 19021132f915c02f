import { compareText } from '#base/collections/sort-short.ts';
import { StatusError } from '#base/errors/status-error.ts';
import type { Manager } from './managers.ts';
import type { Conflict } from './ownership.ts';
import { pathText } from './path-element.ts';

/** The 409 of an apply that would change fields of other managers: one cause for each field and manager. */
export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const sorted = [...conflicts].sort((a, b) => compareText(shownManager(a.manager), shownManager(b.manager)));
  const found = sorted.map(({ manager, fields }) => ({
    who: shownManager(manager),
    paths: [...fields.paths()].map(pathText),
  }));
  const causes = found.flatMap(({ who, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  );
  return new StatusError(409, 'Conflict', `Apply failed with ${summary(found, causes.length)}`, { causes });
}

function summary(found: readonly { who: string; paths: readonly string[] }[], count: number): string {
  const [first] = found;
  if (count === 1 && first !== undefined) return `1 conflict: conflict with ${first.who}: ${first.paths.join()}`;
  const lines = found.flatMap(({ who, paths }) => [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)]);
  return `${count} conflicts: ${lines.join('\n')}`;
}

function shownManager({ manager, operation, apiVersion, subresource }: Manager): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${through}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
