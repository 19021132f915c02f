import { tableOf } from '#base/collections/own-properties.ts';
import type { ResourceQuota } from '../generated/core.v1.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { Quantity } from '../values/quantity.ts';
import { addTo, pick, readUsage, writeUsage } from '../values/usage.ts';
import { type Evaluator, scopesOf } from './evaluator.ts';

/** The objects of one type in the quota's namespace. */
export interface Counted {
  readonly evaluator: Evaluator;
  readonly objects: readonly ApiObject[];
}

/**
 * The used amount of a quota's resources, by objects that are in all of its scopes. Resources that the server does not
 * count keep their earlier amount.
 */
export function usedOf(quota: ResourceQuota, counted: readonly Counted[]): Record<string, string> {
  const names = Object.keys(quota.spec?.hard ?? {});
  const scopes = scopesOf(quota);
  let used = pick(readUsage(quota.status?.used), names);
  for (const { evaluator, objects } of counted) {
    const matching = evaluator.matching(names);
    if (matching.length === 0) continue;
    const sum = tableOf(matching.map((name) => [name, Quantity.of(0)]));
    for (const object of objects)
      if (scopes.every((scope) => evaluator.inScope(object, scope)))
        addTo(sum, pick(evaluator.usage(object), matching));
    used = { ...used, ...sum };
  }
  return writeUsage(used);
}
