import type { MatchResources, NamedRuleWithOperations } from '#schema/generated/admissionregistration.v1.ts';
import type { Operation } from '../../api/admission.ts';
import type { ServedResource } from '../../api/served-resource.ts';
import { ruleMatches, versionsOf } from '../webhooks/candidates.ts';
import { type Selector, selectorOf } from '../webhooks/webhook.ts';

/** The requests to which a policy or a binding applies, in a form that is cheap to check. */
export interface Match {
  readonly rules: readonly NamedRuleWithOperations[];
  readonly excluded: readonly NamedRuleWithOperations[];
  /** Whether rules match a request through any version of the resource. */
  readonly equivalent: boolean;
  /** Undefined means every namespace. */
  readonly namespaceSelector: Selector | undefined;
  /** Undefined means every object. */
  readonly objectSelector: Selector | undefined;
}

/** The match of a policy or binding; a missing part matches every request. */
export function matchOf(match: MatchResources | null | undefined): Match {
  return {
    rules: match?.resourceRules ?? [],
    excluded: match?.excludeResourceRules ?? [],
    equivalent: match?.matchPolicy !== 'Exact',
    namespaceSelector: selectorOf(match?.namespaceSelector),
    objectSelector: selectorOf(match?.objectSelector),
  };
}

/** A rule that matches a kind of request, and the version of the resource that the rule names. */
interface NamingRule {
  readonly served: ServedResource;
  /** The names of the objects to which the rule applies; undefined for all. */
  readonly names: ReadonlySet<string> | undefined;
}

/** The result of a match for one kind of request, without its names and selectors. */
export interface KindMatch {
  readonly rules: readonly NamingRule[];
  readonly excluded: readonly NamingRule[];
}

/** The result of a match for requests of one kind; undefined if no such request can match. */
export function kindMatch(
  { rules, excluded, equivalent }: Match,
  served: ServedResource,
  operation: Operation,
  subresource: string,
): KindMatch | undefined {
  const versions = equivalent ? versionsOf(served, subresource) : [served];
  const naming = (list: readonly NamedRuleWithOperations[]): NamingRule[] => {
    const matching = (rule: NamedRuleWithOperations, version: ServedResource): NamingRule[] => {
      const { group, type } = version;
      const target = { operation, group, version: version.version, resource: type.plural, subresource };
      if (!ruleMatches(rule, { ...target, namespaced: type.namespaced })) return [];
      const names = rule.resourceNames ?? [];
      return [{ served: version, names: names.length === 0 ? undefined : new Set(names) }];
    };
    const [requested, ...others] = versions;
    return [
      ...list.flatMap((rule) => matching(rule, requested!)),
      ...list.flatMap((rule) => others.flatMap((other) => matching(rule, other))),
    ];
  };
  const named = rules.length === 0 ? [{ served, names: undefined }] : naming(rules);
  return named.length === 0 ? undefined : { rules: named, excluded: naming(excluded) };
}

/** The version in which a match sees the object with a name; undefined if the match does not apply. */
export function versionFor({ rules, excluded }: KindMatch, name: string): ServedResource | undefined {
  const names = ({ names: list }: NamingRule): boolean => list === undefined || list.has(name);
  return excluded.some(names) ? undefined : rules.find(names)?.served;
}
