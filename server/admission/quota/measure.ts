import { own } from '#base/collections/own-properties.ts';
import type { ResourceQuota } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { type Evaluator, type Scope, scopesOf } from '#schema/quota/evaluator.ts';
import { addUsage, excess, pick, readUsage, shownUsage, type Usage } from '#schema/values/usage.ts';
import { type LimitedResource, limitedByDefault } from './limited-resources.ts';

/** A change of objects, for which quotas are charged. */
export interface Demand {
  readonly evaluator: Evaluator;
  readonly object: ApiObject;
  /** The object before; undefined for a create. */
  readonly oldObject: ApiObject | undefined;
  /** Resources that may be used only if a quota covers them. */
  readonly limited: readonly LimitedResource[];
}

/** The charges of each quota, by its name. */
export type Charges = ReadonlyMap<string, Usage>;

/** The error that a demand is refused. */
export class QuotaRefusal extends Error {}

function shownScope({ scopeName, operator, values }: Scope): string {
  return `{${scopeName} ${operator} [${(values ?? []).join(' ')}]}`;
}

function increase({ evaluator, object, oldObject }: Demand): Usage {
  const usage = evaluator.usage(object);
  const negative = Object.keys(usage).filter((name) => usage[name]!.sign < 0);
  if (negative.length > 0) {
    throw new QuotaRefusal(`quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  }
  return excess(usage, oldObject === undefined ? {} : evaluator.usage(oldObject));
}

/** The quotas that apply to a demand, each with its resources that the demand uses. */
function concerned(quotas: readonly ResourceQuota[], { evaluator, object }: Demand): [ResourceQuota, string[]][] {
  const found: [ResourceQuota, string[]][] = [];
  for (const quota of quotas) {
    const names = evaluator.matching(Object.keys(quota.status?.hard ?? {}));
    if (names.length === 0 || !scopesOf(quota).every((scope) => evaluator.inScope(object, scope))) continue;
    const unmet = evaluator.unmet(object, names);
    if (unmet !== undefined) throw new QuotaRefusal(`failed quota: ${quota.metadata.name}: ${unmet}`);
    if (names.some((name) => own(quota.status?.used, name) === undefined)) {
      throw new QuotaRefusal(`status unknown for quota: ${quota.metadata.name}, resources: ${names.sort().join(',')}`);
    }
    found.push([quota, names]);
  }
  return found;
}

/** Checks that a quota covers each resource that must not be used without a quota. */
function checkCovered(
  quotas: readonly ResourceQuota[],
  covered: ReadonlySet<string>,
  { evaluator, object, limited }: Demand,
): void {
  const usage = evaluator.usage(object);
  const uncovered = limitedByDefault(limited, usage).filter((name) => !covered.has(name));
  if (uncovered.length > 0) throw new QuotaRefusal(`insufficient quota to consume: ${uncovered.join(',')}`);
  const inScope = (scope: Scope) => evaluator.inScope(object, scope);
  const granted = new Set(
    quotas
      .flatMap(scopesOf)
      .filter(inScope)
      .map((scope) => scope.scopeName),
  );
  const missing = limited
    .flatMap(({ matchScopes }) => matchScopes)
    .filter((scope) => inScope(scope) && !granted.has(scope.scopeName));
  if (missing.length > 0) {
    throw new QuotaRefusal(`insufficient quota to match these scopes: [${missing.map(shownScope).join(' ')}]`);
  }
}

/**
 * The amounts that the quotas of a namespace must charge for a demand, minus the earlier charges for it.
 * @throws QuotaRefusal if a quota has no room, or cannot be computed
 */
export function measure(quotas: readonly ResourceQuota[], demand: Demand, before: Charges): Charges {
  const pertinent = concerned(quotas, demand);
  const increased = increase(demand);
  const charges = new Map<string, Usage>();
  if (Object.keys(increased).length === 0) return charges;
  if (demand.limited.length > 0) {
    checkCovered(quotas, new Set(pertinent.flatMap(([, names]) => names)), demand);
  }
  for (const [quota, names] of pertinent) {
    const name = quota.metadata.name!;
    const asked = excess(pick(increased, names), before.get(name) ?? {});
    if (Object.keys(asked).length === 0) continue;
    const hard = readUsage(quota.status?.hard);
    const used = readUsage(quota.status?.used);
    const sum = addUsage(used, asked);
    const exceeded = Object.keys(asked).filter((resource) => sum[resource]!.compare(hard[resource]!) > 0);
    if (exceeded.length > 0) {
      const shown = (usage: Usage) => shownUsage(pick(usage, exceeded));
      throw new QuotaRefusal(
        `exceeded quota: ${name}, requested: ${shown(asked)}, used: ${shown(used)}, limited: ${shown(hard)}`,
      );
    }
    charges.set(name, asked);
  }
  return charges;
}
