import type { FieldPath } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { LabelSelector, SelectorRequirement } from './label-selector.ts';
import type { NodeSelector } from './node-selector.ts';

type Keys = Pick<Naming, 'key'>;

/** Labels of nodes that were renamed: the old key, the new key, and the release that announced it. */
const RENAMED = [
  ['beta/arch', 'arch', 'v1.14'],
  ['beta/os', 'os', 'v1.14'],
  ['failure-domain.beta/region', 'topology/region', 'v1.17'],
  ['failure-domain.beta/zone', 'topology/zone', 'v1.17'],
  ['beta/instance-type', 'node/instance-type', 'v1.17'],
] as const;

/** The advice to replace the old key of a label; undefined for other keys. */
function deprecatedLabel(key: string | undefined, naming: Keys): string | undefined {
  const renamed = RENAMED.find(([old]) => naming.key(old) === key);
  if (renamed === undefined) return undefined;
  const [, current, release] = renamed;
  return `deprecated since ${release}; use ${JSON.stringify(naming.key(current))} instead`;
}

/**
 * The warning about a selector that uses the old key of a label. None for other keys.
 *
 * @example
 * deprecatedLabelWarning('beta.orch.io/os', new FieldPath('nodeSelector'), createNaming('orch'))
 * // => ['nodeSelector: deprecated since v1.14; use "orch.io/os" instead']
 */
export function deprecatedLabelWarning(key: string, path: FieldPath, naming: Keys): string[] {
  const text = deprecatedLabel(key, naming);
  return text === undefined ? [] : [`${path}: ${text}`];
}

/**
 * The warning for a place whose path does not contain the key.
 *
 * @example
 * namedLabelWarning('beta.orch.io/os', new FieldPath('topologyKey'), createNaming('orch'))
 * // => ['topologyKey: beta.orch.io/os is deprecated since v1.14; use "orch.io/os" instead']
 */
export function namedLabelWarning(key: string | undefined, path: FieldPath, naming: Keys): string[] {
  const text = deprecatedLabel(key, naming);
  return text === undefined ? [] : [`${path}: ${key} is ${text}`];
}

/**
 * The warnings about requirements on labels.
 *
 * @example
 * requirementWarnings([{ key: 'beta.orch.io/os', operator: 'Exists' }], new FieldPath('a'), createNaming('orch'))
 * // => ['a[0].key: beta.orch.io/os is deprecated since v1.14; use "orch.io/os" instead']
 */
export function requirementWarnings(
  requirements: readonly SelectorRequirement[] | null | undefined,
  path: FieldPath,
  naming: Keys,
): string[] {
  return (requirements ?? []).flatMap(({ key }, i) => namedLabelWarning(key, path.index(i).child('key'), naming));
}

/**
 * The warnings about terms that select nodes.
 *
 * @example
 * nodeSelectorWarnings({ nodeSelectorTerms: [] }, new FieldPath('required'), createNaming('orch')) // => []
 */
export function nodeSelectorWarnings(
  selector: NodeSelector | null | undefined,
  path: FieldPath,
  naming: Keys,
): string[] {
  return (selector?.nodeSelectorTerms ?? []).flatMap((term, i) =>
    requirementWarnings(
      term.matchExpressions,
      path.child('nodeSelectorTerms').index(i).child('matchExpressions'),
      naming,
    ),
  );
}

/**
 * The warnings about a selector that selects nodes by their labels.
 *
 * @example
 * labelSelectorWarnings({ matchLabels: { 'beta.orch.io/os': 'a' } }, new FieldPath('selector'), createNaming('orch'))
 * // => ['selector.matchLabels.beta.orch.io/os: deprecated since v1.14; use "orch.io/os" instead']
 */
export function labelSelectorWarnings(
  selector: LabelSelector | null | undefined,
  path: FieldPath,
  naming: Keys,
): string[] {
  return [
    ...requirementWarnings(selector?.matchExpressions, path.child('matchExpressions'), naming),
    ...Object.keys(selector?.matchLabels ?? {}).flatMap((key) =>
      deprecatedLabelWarning(key, path.child('matchLabels', key), naming),
    ),
  ];
}
