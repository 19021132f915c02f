import { askedBefore } from '#base/collections/asked-before.ts';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../generated/core.v1.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { Quantity } from '../values/quantity.ts';
import type { Usage } from '../values/usage.ts';

export type Scope = ScopedResourceSelectorRequirement;

/**
 * The scopes of a quota. An object that it counts must be in all of them. Each scope is there only once, because a
 * quota may name tens of thousands, and each costs a walk over all containers of a pod.
 */
export function scopesOf({ spec }: ResourceQuota): Scope[] {
  const again = askedBefore<string>();
  const all: Scope[] = [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ];
  return all.filter(({ scopeName, operator, values }) => !again(JSON.stringify([scopeName, operator, values ?? []])));
}

/** Computes the usage of a quota by the objects of a resource. */
export interface Evaluator {
  /** The operations that add to the usage. */
  readonly operations: readonly string[];
  /** The resources of a quota that such objects use. */
  matching(names: readonly string[]): string[];
  usage(object: ApiObject): Usage;
  /** The reason why a quota of these resources cannot admit the object in any case; undefined if it can. */
  unmet(object: ApiObject, names: readonly string[]): string | undefined;
  /** Whether an object is in a scope. */
  inScope(object: ApiObject, scope: Scope): boolean;
}

export const ONE = Quantity.of(1);

/** Counts objects, under their own resource name and under older names. Such objects are in no scope. */
export function countEvaluator(...names: readonly string[]): Evaluator {
  const usage = Object.fromEntries(names.map((name) => [name, ONE]));
  return {
    operations: ['CREATE'],
    matching: (all) => all.filter((name) => names.includes(name)),
    usage: () => usage,
    unmet: () => undefined,
    inScope: () => false,
  };
}
