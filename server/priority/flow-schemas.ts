import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
} from '#schema/generated/flowcontrol.apiserver.v1beta2.ts';
import type { RequestInfo } from '../api/request-context.ts';
import type { UserInfo } from '../api/user-info.ts';

const ALL = '*';
const ACCOUNT = 'system:serviceaccount:';

/** The attributes of requests that flow schemas read. */
export type AskedFor = Pick<
  RequestInfo,
  'isResource' | 'verb' | 'group' | 'resource' | 'subresource' | 'namespace' | 'path'
>;

/** A flow schema that is prepared for matching. */
export interface MatchedSchema {
  readonly name: string;
  readonly uid: string;
  /** The name of its priority level. */
  readonly level: string;
  /** The attribute that separates its flows. */
  readonly by: 'ByUser' | 'ByNamespace' | undefined;
  readonly precedence: number;
  /** Returns a function that decides for all requests of a user; undefined if no rule names the user. */
  rulesFor(user: UserInfo): ((asked: AskedFor) => boolean) | undefined;
}

/** The values that a rule matches. */
function names(values: readonly string[] | null | undefined): (value: string) => boolean {
  const set = new Set(values ?? []);
  return set.has(ALL) ? () => true : (value) => set.has(value);
}

function resourceRule(rule: ResourcePolicyRule): (asked: AskedFor) => boolean {
  const [verbs, groups, resources] = [names(rule.verbs), names(rule.apiGroups), names(rule.resources)];
  const namespaces = names(rule.namespaces);
  const clusterScope = rule.clusterScope === true;
  return ({ verb, group, resource, subresource, namespace }) =>
    verbs(verb) &&
    groups(group) &&
    (namespace === '' ? clusterScope : namespaces(namespace)) &&
    resources(subresource === '' ? resource : `${resource}/${subresource}`);
}

function pathRule(rule: NonResourcePolicyRule): (asked: AskedFor) => boolean {
  const verbs = names(rule.verbs);
  const exact = names(rule.nonResourceURLs);
  const prefixes = (rule.nonResourceURLs ?? []).filter((url) => url.endsWith('/*')).map((url) => url.slice(0, -1));
  return ({ verb, path }) => verbs(verb) && (exact(path) || prefixes.some((prefix) => path.startsWith(prefix)));
}

function subjects(rules: PolicyRulesWithSubjects): (user: UserInfo) => boolean {
  const subjects = rules.subjects ?? [];
  const users = names(subjects.flatMap(({ kind, user }) => (kind === 'User' && user ? [user.name] : [])));
  const inGroup = names(subjects.flatMap(({ kind, group }) => (kind === 'Group' && group ? [group.name] : [])));
  const accounts = subjects.flatMap(({ kind, serviceAccount }) =>
    kind === 'ServiceAccount' && serviceAccount ? [serviceAccount] : [],
  );
  const named = new Set(accounts.map(({ namespace, name }) => `${ACCOUNT}${namespace}:${name}`));
  const namespaces = accounts.filter(({ name }) => name === ALL).map(({ namespace }) => `${ACCOUNT}${namespace}:`);
  return ({ name, groups }) =>
    users(name) ||
    groups.some(inGroup) ||
    (name.startsWith(ACCOUNT) && (named.has(name) || namespaces.some((prefix) => name.startsWith(prefix))));
}

interface Rule {
  readonly isSubject: (user: UserInfo) => boolean;
  readonly matches: (asked: AskedFor) => boolean;
}

function rule(rules: PolicyRulesWithSubjects): Rule {
  const resources = (rules.resourceRules ?? []).map(resourceRule);
  const paths = (rules.nonResourceRules ?? []).map(pathRule);
  return {
    isSubject: subjects(rules),
    matches: (asked) => (asked.isResource ? resources : paths).some((matches) => matches(asked)),
  };
}

/** Prepares a flow schema. A missing part matches nothing. */
export function readSchema({ metadata, spec }: FlowSchema): MatchedSchema {
  const rules = (spec?.rules ?? []).map(rule);
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    level: spec?.priorityLevelConfiguration.name ?? '',
    by: spec?.distinguisherMethod?.type as MatchedSchema['by'],
    precedence: spec?.matchingPrecedence ?? 0,
    rulesFor(user) {
      const own = rules.filter(({ isSubject }) => isSubject(user)).map(({ matches }) => matches);
      return own.length < 2 ? own[0] : (asked) => own.some((matches) => matches(asked));
    },
  };
}

/** The schemas in their order: by precedence, then by name. */
export function inOrder(schemas: readonly MatchedSchema[]): readonly MatchedSchema[] {
  return schemas.toSorted((a, b) => a.precedence - b.precedence || (a.name < b.name ? -1 : 1));
}

/** The attribute that separates the flow of a request from others of its schema. */
export function distinguisher({ by }: MatchedSchema, user: UserInfo, asked: AskedFor): string {
  return by === 'ByUser' ? user.name : by === 'ByNamespace' ? asked.namespace : '';
}
