import type { ResourceQuota } from '../generated/core.v1.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { Quantity } from '../values/quantity.ts';
import { addUsage, pick, readUsage, type Usage, writeUsage } from '../values/usage.ts';
import { type Evaluator, scopesOf } from './evaluator.ts';

/** The objects of one type in the quota's namespace. */
export interface Counted {
  readonly evaluator: Evaluator;
  readonly objects: readonly ApiObject[];
}

/**
 * How much of a quota's resources is used by objects that are in all of its scopes. Resources that the server does not
 * count keep their earlier amount.
 */
export function usedOf(quota: ResourceQuota, counted: readonly Counted[]): Record<string, string> {
  const names = Object.keys(quota.spec?.hard ?? {});
  const scopes = scopesOf(quota);
  let used = pick(readUsage(quota.status?.used), names);
  for (const { evaluator, objects } of counted) {
    const matching = evaluator.matching(names);
    if (matching.length === 0) continue;
    let sum: Usage = Object.fromEntries(matching.map((name) => [name, Quantity.of(0)]));
    for (const object of objects)
      if (scopes.every((scope) => evaluator.inScope(object, scope)))
        sum = addUsage(sum, pick(evaluator.usage(object), matching));
    used = { ...used, ...sum };
  }
  return writeUsage(used);
}
