import type { Naming } from '#base/naming/naming.ts';
import type { PodDisruptionBudget } from '../../generated/policy.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import type { LabelSelector } from '../../validation/label-selector.ts';
import type { KindVersions } from '../version-rules.ts';

/** Whether a selector consists only of the marker by which an older version selects no pods. */
function selectsNothing({ matchLabels, matchExpressions = [] }: LabelSelector, marker: string): boolean {
  const [only, ...more] = matchExpressions;
  if (only === undefined || more.length > 0 || Object.keys(matchLabels ?? {}).length > 0) return false;
  return only.key === marker && only.operator === 'Exists' && (only.values ?? []).length === 0;
}

/** Removes the marker of an older version from a selector that also has other requirements. */
function toStorage(object: ApiObject, { naming }: { naming: Naming }): ApiObject {
  const { spec } = object as PodDisruptionBudget;
  const marker = naming.key('pdb/deprecated-v1beta1-empty-selector-match');
  const selector = spec?.selector;
  if (selector?.matchExpressions === undefined || selectsNothing(selector, marker)) return object;
  const kept = selector.matchExpressions.filter(({ key }) => key !== marker);
  if (kept.length > 0) selector.matchExpressions = kept;
  else delete selector.matchExpressions;
  return object;
}

/** The conversion of disruption budgets to the form in which they are stored. */
export const podDisruptionBudgetVersions = { v1: { toStorage } } satisfies KindVersions;
