import { storageId } from '../registry/registry.ts';
import type { KindRules } from '../registry/resource-definition.ts';
import { namespace } from './core/namespace.ts';

/** Rules of every kind that has any, by storage identity. */
export function kindRules(): ReadonlyMap<string, KindRules> {
  const all: readonly KindRules[] = [namespace as KindRules];
  return new Map(all.map((rules) => [storageId(rules.group, rules.plural), rules]));
}
