import { table } from '#base/collections/own-properties.ts';
import type { Naming } from '#base/naming/naming.ts';
import { claimEvaluator } from './claim-evaluator.ts';
import { countEvaluator, type Evaluator } from './evaluator.ts';
import { podEvaluator } from './pod-evaluator.ts';
import { serviceEvaluator } from './service-evaluator.ts';

/** Resources of the core group whose objects are also counted under their name without a prefix. */
const COUNTED_BY_NAME = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);

/** A type in the form in which requests name it. */
export interface CountedType {
  readonly group: string;
  readonly type: { readonly plural: string };
}

/** The evaluators of resources. Some resources have a special one. For all others, objects are counted. */
export function evaluators(naming: Naming): (counted: CountedType) => Evaluator {
  const own: Readonly<Record<string, Evaluator>> = table({
    pods: podEvaluator(naming),
    services: serviceEvaluator(),
    persistentvolumeclaims: claimEvaluator(naming),
  });
  const counting = new Map<string, Evaluator>();
  return ({ group, type: { plural } }) => {
    if (group === '' && own[plural] !== undefined) return own[plural];
    const name = group === '' ? plural : `${plural}.${group}`;
    let evaluator = counting.get(name);
    if (evaluator === undefined) {
      const aliases = group === '' && COUNTED_BY_NAME.has(plural) ? [plural] : [];
      counting.set(name, (evaluator = countEvaluator(`count/${name}`, ...aliases)));
    }
    return evaluator;
  };
}
