import { own } from '#base/collections/own-properties.ts';
import { type FieldError, type FieldPath, forbiddenField, invalidValue } from '#base/errors/field-error.ts';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '#schema/generated/core.v1.ts';
import { validateLabelKey } from '#schema/validation/labels.ts';
import type { PodSpecContext } from './context.ts';

type Labels = Readonly<Record<string, string>>;
type Selecting = Pick<TopologySpreadConstraint & PodAffinityTerm, 'labelSelector'>;

/** Adds requirements to a selector: the values of these labels must be those of the pod, or must not be. */
function merge(
  { labelSelector }: Selecting,
  keys: readonly string[] | null | undefined,
  operator: string,
  labels: Labels,
): void {
  // Without a selector, no pods are selected, whatever their labels are.
  if (labelSelector == null) return;
  const added = (keys ?? []).flatMap((key) => {
    const value = own(labels, key);
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
  if (added.length > 0) labelSelector.matchExpressions = [...(labelSelector.matchExpressions ?? []), ...added];
}

/**
 * Some rules of a new pod name labels only by their keys. This function writes these labels, with the pod's values,
 * into the selectors of the rules, in place.
 */
export function mergeLabelKeys({ metadata, spec }: Pod, { gates }: PodSpecContext): void {
  const labels: Labels = metadata.labels ?? {};
  if (gates.enabled('MatchLabelKeysInPodAffinity')) {
    for (const affinity of [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity]) {
      const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
      const terms = [
        ...preferred.flatMap(({ podAffinityTerm }) => podAffinityTerm ?? []),
        ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ];
      for (const term of terms) {
        merge(term, term.matchLabelKeys, 'In', labels);
        merge(term, term.mismatchLabelKeys, 'NotIn', labels);
      }
    }
  }
  if (!mergesSpread(gates)) return;
  for (const constraint of spec?.topologySpreadConstraints ?? [])
    merge(constraint, constraint.matchLabelKeys, 'In', labels);
}

/** Whether the label keys of spread constraints become part of their selectors. */
export function mergesSpread(gates: PodSpecContext['gates']): boolean {
  return (
    gates.enabled('MatchLabelKeysInPodTopologySpread') &&
    gates.enabled('MatchLabelKeysInPodTopologySpreadSelectorMerge')
  );
}

type Keyed = Selecting & Partial<Pick<PodAffinityTerm, 'matchLabelKeys' | 'mismatchLabelKeys'>>;

/** Validates keys whose values are merged into the selector of the same object. `path` leads to the object. */
export function validateLabelKeys(keyed: Keyed, path: FieldPath): FieldError[] {
  const { matchLabelKeys, mismatchLabelKeys, labelSelector } = keyed;
  const errors = (['matchLabelKeys', 'mismatchLabelKeys'] as const).flatMap((list) => {
    const keys = keyed[list] ?? [];
    const at = path.child(list);
    if (keys.length === 0) return [];
    if (labelSelector == null) return [forbiddenField(at, 'must not be specified when labelSelector is not set')];
    return keys.flatMap((key, i) => validateLabelKey(key, at.index(i)));
  });
  const places = new Map((matchLabelKeys ?? []).map((key, i) => [key, i]));
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    const place = places.get(key);
    // Merging adds one of the requirements.
    if (place !== undefined && selected.has(key))
      errors.push(invalidValue(path.index(place), key, 'exists in both matchLabelKeys and labelSelector'));
    selected.add(key);
  }
  const mismatched = new Set(mismatchLabelKeys ?? []);
  (matchLabelKeys ?? []).forEach((key, i) => {
    if (!mismatched.has(key)) return;
    const detail = 'exists in both matchLabelKeys and mismatchLabelKeys';
    errors.push(invalidValue(path.child('matchLabelKeys').index(i), key, detail));
  });
  return errors;
}
