import type { GroupResources } from '#schema/generated/audit.v1.ts';
import type { Attributes } from '../../api/attributes.ts';

/** The levels of recording, from nothing to both bodies. */
export const auditLevels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof auditLevels)[number];

/** The stages of a request that have audit events. */
export const auditStages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStage = (typeof auditStages)[number];

/** The recorded parts of a request. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  /** Bodies are recorded without `metadata.managedFields`. */
  readonly omitManagedFields: boolean;
}

/** The requests to which a decision applies: those that match every non-empty list. */
export interface AuditRule extends AuditDecision {
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly GroupResources[];
  /** The namespaces. '' matches resources outside namespaces. */
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** The rules of recording; the first matching rule decides. */
export class AuditPolicy {
  readonly #rules: readonly AuditRule[];

  constructor(rules: readonly AuditRule[]) {
    this.#rules = rules;
  }

  /** The recorded parts of a request; undefined if no rule matches. */
  decide(attributes: Attributes): AuditDecision | undefined {
    return this.#rules.find((rule) => matches(rule, attributes));
  }
}

function matches(rule: AuditRule, attributes: Attributes): boolean {
  const { user, verb } = attributes;
  if (rule.users.length > 0 && !rule.users.includes(user.name)) return false;
  if (rule.userGroups.length > 0 && !rule.userGroups.some((group) => user.groups.includes(group))) return false;
  if (rule.verbs.length > 0 && !rule.verbs.includes(verb)) return false;
  if (rule.namespaces.length > 0 || rule.resources.length > 0) return matchesResource(rule, attributes);
  return rule.nonResourceURLs.length === 0 || matchesPath(rule, attributes);
}

function matchesPath({ nonResourceURLs }: AuditRule, { isResource, path }: Attributes): boolean {
  if (isResource) return false;
  return nonResourceURLs.some((url) => url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1))));
}

function matchesResource({ namespaces, resources }: AuditRule, attributes: Attributes): boolean {
  if (!attributes.isResource) return false;
  if (namespaces.length > 0 && !namespaces.includes(attributes.namespace)) return false;
  return resources.length === 0 || resources.some((about) => covers(about, attributes));
}

function covers(about: GroupResources, { group, resource, subresource, name }: Attributes): boolean {
  if ((about.group ?? '') !== group) return false;
  const { resources = [], resourceNames = [] } = about;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false;
  const combined = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    (pattern) =>
      pattern === '*' ||
      pattern === combined ||
      pattern === `${resource}/*` ||
      (subresource !== '' && pattern === `*/${subresource}`),
  );
}
