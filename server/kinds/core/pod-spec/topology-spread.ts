import { askedBefore } from '#base/collections/asked-before.ts';
import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { TopologySpreadConstraint } from '#schema/generated/core.v1.ts';
import { validateLabelKey } from '#schema/validation/labels.ts';
import type { PodSpecContext } from './context.ts';
import { mergesSpread, validateLabelKeys } from './label-keys.ts';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const NODE_POLICIES = ['Honor', 'Ignore'];
const POSITIVE = 'must be greater than zero';

/** Validates how pods spread over parts of the cluster. There is one constraint for each topology key and action. */
export function validateTopologySpread(
  constraints: readonly TopologySpreadConstraint[] | null | undefined,
  path: FieldPath,
  context: PodSpecContext,
): FieldError[] {
  const pairOf = ({ topologyKey = '', whenUnsatisfiable = '' }: TopologySpreadConstraint) =>
    JSON.stringify([topologyKey, whenUnsatisfiable]);
  const again = askedBefore<string>();
  // The last of several equal constraints is not refused.
  const repeated = (constraints ?? [])
    .toReversed()
    .map((constraint) => again(pairOf(constraint)))
    .reverse();
  return (constraints ?? []).flatMap((constraint, i) => {
    const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '', minDomains } = constraint;
    const at = path.index(i);
    const errors: FieldError[] = [];
    if (maxSkew <= 0) errors.push(invalidValue(at.child('maxSkew'), maxSkew, POSITIVE));
    if (topologyKey === '') errors.push(required(at.child('topologyKey'), 'can not be empty'));
    if (!ACTIONS.includes(whenUnsatisfiable)) {
      errors.push(notSupported(at.child('whenUnsatisfiable'), whenUnsatisfiable, ACTIONS));
    }
    if (repeated[i]) {
      const pair = `{${topologyKey}, ${whenUnsatisfiable}}`;
      errors.push(duplicate(at.child('{topologyKey, whenUnsatisfiable}'), pair));
    }
    if (minDomains != null) {
      const field = at.child('minDomains');
      if (minDomains <= 0) errors.push(invalidValue(field, minDomains, POSITIVE));
      if (whenUnsatisfiable !== 'DoNotSchedule') {
        const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
        errors.push(invalidValue(field, minDomains, detail));
      }
    }
    for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      const policy = constraint[name];
      if (policy != null && !NODE_POLICIES.includes(policy)) {
        errors.push(notSupported(at.child(name), policy, NODE_POLICIES));
      }
    }
    if (mergesSpread(context.gates)) return [...errors, ...validateLabelKeys(constraint, at)];
    return [...errors, ...validateMatchKeys(constraint, at.child('matchLabelKeys'), context)];
  });
}

function validateMatchKeys(
  { matchLabelKeys, labelSelector }: TopologySpreadConstraint,
  path: FieldPath,
  { release }: PodSpecContext,
): FieldError[] {
  if (release.atLeast(27) && labelSelector == null && (matchLabelKeys ?? []).length > 0)
    return [forbiddenField(path, 'must not be specified when labelSelector is not set')];
  const selected = new Set([
    ...Object.keys(labelSelector?.matchLabels ?? {}),
    ...(labelSelector?.matchExpressions ?? []).map(({ key }) => key),
  ]);
  return (matchLabelKeys ?? []).flatMap((key, i) => [
    ...validateLabelKey(key, path.index(i)),
    ...(selected.has(key) ? [invalidValue(path.index(i), key, 'exists in both matchLabelKeys and labelSelector')] : []),
  ]);
}
