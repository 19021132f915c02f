import type { FieldPath } from '../../errors/field-error.ts';
import type { Naming } from '../../naming/naming.ts';

/** Labels of nodes that were renamed: the old key, the new one, and the release that told so. */
const RENAMED = [
  ['beta/arch', 'arch', 'v1.14'],
  ['beta/os', 'os', 'v1.14'],
  ['failure-domain.beta/region', 'topology/region', 'v1.17'],
  ['failure-domain.beta/zone', 'topology/zone', 'v1.17'],
  ['beta/instance-type', 'node/instance-type', 'v1.17'],
] as const;

/** The warning about a selector that uses the old key of a label; none for other keys. */
export function deprecatedLabelWarning(key: string, path: FieldPath, naming: Naming): string[] {
  const renamed = RENAMED.find(([old]) => naming.key(old) === key);
  if (renamed === undefined) return [];
  const [, current, release] = renamed;
  return [`${path}: deprecated since ${release}; use ${JSON.stringify(naming.key(current))} instead`];
}
