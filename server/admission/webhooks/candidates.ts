import type { RuleWithOperations } from '#schema/generated/admissionregistration.v1.ts';
import type { Operation } from '../../api/admission.ts';
import type { ServedResource } from '../../api/served-resource.ts';
import type { Webhook } from './webhook.ts';

/** A webhook whose rules match a kind of request, and the version in which it sees the objects. */
export interface Candidate {
  readonly webhook: Webhook;
  /** The position of the webhook among all webhooks of its kind. */
  readonly index: number;
  readonly served: ServedResource;
}

/** The attributes that rules match. */
export interface RuleTarget {
  readonly operation: Operation;
  /** The group in the form of the path. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** The subresource; '' for the object itself. */
  readonly subresource: string;
  readonly namespaced: boolean;
}

function named(list: readonly string[] | null | undefined, value: string): boolean {
  return list?.some((entry) => entry === '*' || entry === value) === true;
}

// An entry is `resource` or `resource/subresource`, and `*` matches any. An entry without a slash means no subresource.
function resourceNamed(entry: string, { resource, subresource }: RuleTarget): boolean {
  const slash = entry.indexOf('/');
  const [main, sub] = slash < 0 ? [entry, ''] : [entry.slice(0, slash), entry.slice(slash + 1)];
  return (main === '*' || main === resource) && (sub === '*' || sub === subresource);
}

/** Whether a rule matches a kind of request. A subresource has the scope of its resource. */
export function ruleMatches(rule: RuleWithOperations, target: RuleTarget): boolean {
  const { scope = '*' } = rule;
  return (
    (scope === '*' || (scope === 'Namespaced') === target.namespaced) &&
    named(rule.operations, target.operation) &&
    named(rule.apiGroups, target.group) &&
    named(rule.apiVersions, target.version) &&
    rule.resources?.some((entry) => resourceNamed(entry, target)) === true
  );
}

function matchingVersion(
  { rules, equivalent }: Webhook,
  versions: readonly ServedResource[],
  operation: Operation,
  subresource: string,
): ServedResource | undefined {
  const matches = (rule: RuleWithOperations, { group, version, type }: ServedResource): boolean =>
    ruleMatches(rule, { operation, group, version, resource: type.plural, subresource, namespaced: type.namespaced });
  const [requested, ...others] = versions;
  if (rules.some((rule) => matches(rule, requested!))) return requested;
  if (!equivalent) return undefined;
  for (const rule of rules) {
    const found = others.find((other) => matches(rule, other));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The requested resource, and then the other resources with the same objects and the same subresource. */
export function versionsOf(served: ServedResource, subresource: string): readonly ServedResource[] {
  const others = served.versions.filter(
    (other) =>
      other !== served && (subresource === '' || other.type.subresources.some(({ name }) => name === subresource)),
  );
  return [served, ...others];
}

/**
 * The webhooks that match a kind of request. They are computed once for each kind of request and each set of webhooks.
 */
export class Candidates {
  #webhooks: readonly Webhook[] = [];
  #known = new WeakMap<ServedResource, Map<string, readonly Candidate[]>>();

  of(
    webhooks: readonly Webhook[],
    served: ServedResource,
    operation: Operation,
    subresource: string,
  ): readonly Candidate[] {
    if (webhooks !== this.#webhooks) {
      this.#webhooks = webhooks;
      this.#known = new WeakMap();
    }
    if (webhooks.length === 0) return [];
    let known = this.#known.get(served);
    if (known === undefined) this.#known.set(served, (known = new Map()));
    const key = `${operation}/${subresource}`;
    let found = known.get(key);
    if (found === undefined) {
      const versions = versionsOf(served, subresource);
      found = webhooks.flatMap((webhook, index) => {
        const version = matchingVersion(webhook, versions, operation, subresource);
        return version === undefined ? [] : [{ webhook, index, served: version }];
      });
      known.set(key, found);
    }
    return found;
  }
}
