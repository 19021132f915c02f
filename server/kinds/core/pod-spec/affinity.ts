import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { Affinity, PodAffinityTerm } from '#schema/generated/core.v1.ts';
import { validateLabelSelector } from '#schema/validation/label-selector.ts';
import { validateLabelKey } from '#schema/validation/labels.ts';
import { labelName } from '#schema/validation/names.ts';
import { validateNodeSelector, validatePreferredTerms, validateWeight } from '#schema/validation/node-selector.ts';
import { validateLabelKeys } from './label-keys.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Validates which nodes and which neighbours a pod prefers or avoids. */
export function validateAffinity(affinity: Affinity | null | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const nodes = affinity?.nodeAffinity;
  if (nodes != null) {
    const at = path.child('nodeAffinity');
    if (nodes[REQUIRED] != null) append(errors, validateNodeSelector(nodes[REQUIRED], at.child(REQUIRED)));
    append(errors, validatePreferredTerms(nodes[PREFERRED], at.child(PREFERRED)));
  }
  for (const name of ['podAffinity', 'podAntiAffinity'] as const) {
    const at = path.child(name);
    const pods = affinity?.[name];
    (pods?.[REQUIRED] ?? []).forEach((term, i) => {
      append(errors, validatePodTerm(term, at.child(REQUIRED).index(i)));
    });
    (pods?.[PREFERRED] ?? []).forEach((preferred, i) => {
      const own = at.child(PREFERRED).index(i);
      append(errors, validateWeight(preferred.weight ?? 0, own.child('weight')));
      append(errors, validatePodTerm(preferred.podAffinityTerm ?? { topologyKey: '' }, own.child('podAffinityTerm')));
    });
  }
  return errors;
}

function validatePodTerm(term: PodAffinityTerm, path: FieldPath): FieldError[] {
  return [
    ...validateLabelSelector(term.labelSelector, path.child('labelSelector')),
    ...validateLabelKeys(term, path),
    ...validateLabelSelector(term.namespaceSelector, path.child('namespaceSelector')),
    ...(term.namespaces ?? []).flatMap((name) =>
      labelName(name).map((problem) => invalidValue(path.child('namespace'), name, problem)),
    ),
    ...(term.topologyKey ? [] : [required(path.child('topologyKey'), 'can not be empty')]),
    ...validateLabelKey(term.topologyKey, path.child('topologyKey')),
  ];
}
