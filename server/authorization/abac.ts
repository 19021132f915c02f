import { readFileSync } from 'node:fs';
import { ConfigError } from '#base/errors/config-error.ts';
import { isObject, type JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Attributes } from '../api/attributes.ts';
import type { UserInfo } from '../api/user-info.ts';
import { AUTHENTICATED } from '../authentication/groups.ts';
import type { Authorizer } from './authorizer.ts';

/** The permission of one line of a policy file. A text is '' if the line does not set it, and `*` for any value. */
interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

const ANY = '*';
const READING = ['get', 'list', 'watch'];

/**
 * Allows the actions in the lines of a policy file. A line is a JSON object, blank, or a `#` comment. A rule for a
 * resource includes its subresources. A line without an apiVersion has the older form.
 * @throws ConfigError that names the file and line
 */
export function abacAuthorizer(file: string, naming: Naming): Authorizer {
  const policies = readPolicies(file, naming);
  return {
    authorize(attributes) {
      const allowed = policies.some((policy) => matches(policy, attributes));
      return allowed ? { verdict: 'allow', reason: '' } : { verdict: 'no-opinion', reason: 'No policy matched.' };
    },
    rules(user, namespace) {
      const own = policies.filter(
        (policy) => isSubject(policy, user) && (policy.namespace === ANY || policy.namespace === namespace),
      );
      return {
        resourceRules: own
          .filter(({ resource }) => resource !== '')
          .map((policy) => ({ verbs: verbs(policy), apiGroups: [policy.apiGroup], resources: [policy.resource] })),
        nonResourceRules: own
          .filter(({ nonResourcePath }) => nonResourcePath !== '')
          .map((policy) => ({ verbs: verbs(policy), nonResourceURLs: [policy.nonResourcePath] })),
        incomplete: false,
        errors: [],
      };
    },
  };
}

function verbs(policy: AbacPolicy): readonly string[] {
  return policy.readonly ? READING : [ANY];
}

function matches(policy: AbacPolicy, asked: Attributes): boolean {
  if (!isSubject(policy, asked.user) || (policy.readonly && !READING.includes(asked.verb))) return false;
  if (!asked.isResource) return coversPath(policy.nonResourcePath, asked.path);
  return (
    covers(policy.namespace, asked.namespace) &&
    covers(policy.resource, asked.resource) &&
    covers(policy.apiGroup, asked.group)
  );
}

/** The user and the group of a rule. If both are set, both must match. At least one must be set. */
function isSubject({ user, group }: AbacPolicy, who: UserInfo): boolean {
  if (user === '' && group === '') return false;
  return (user === '' || user === who.name) && (group === '' || who.groups.includes(group));
}

function covers(pattern: string, value: string): boolean {
  return pattern === ANY || pattern === value;
}

function coversPath(pattern: string, path: string): boolean {
  if (pattern === '') return false;
  return pattern === path || (pattern.endsWith(ANY) && path.startsWith(pattern.slice(0, -1)));
}

function readPolicies(file: string, naming: Naming): readonly AbacPolicy[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`cannot read the policy ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return text.split('\n').flatMap((line, index) => {
    const trimmed = line.trim();
    return trimmed === '' || trimmed.startsWith('#') ? [] : [readPolicy(trimmed, `${file}: line ${index + 1}`, naming)];
  });
}

/** Reads one line; `where` begins the message of a ConfigError. */
export function readPolicy(line: string, where: string, naming: Naming): AbacPolicy {
  const value = parseObject(line, where);
  const { apiVersion = '', kind = '' } = value;
  const current = naming.apiVersion('abac.authorization', 'v1beta1');
  if (apiVersion === '' && kind === '') return withoutWildcards(older(value, where));
  if (apiVersion !== current || kind !== 'Policy')
    throw new ConfigError(`${where} must be of kind Policy in ${current}`);
  const spec = value['spec'] ?? {};
  if (!isObject(spec)) throw new ConfigError(`${where}: spec must be an object`);
  return withoutWildcards(fields(spec, where));
}

function parseObject(line: string, where: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {
    // The error is reported below.
  }
  throw new ConfigError(`${where} is not a JSON object`);
}

function fields(spec: JsonObject, where: string): AbacPolicy {
  const text = (name: string): string => {
    const value = Object.hasOwn(spec, name) ? (spec[name] ?? '') : '';
    if (typeof value !== 'string') throw new ConfigError(`${where}: ${name} must be a text`);
    return value;
  };
  const only = Object.hasOwn(spec, 'readonly') ? (spec['readonly'] ?? false) : false;
  if (typeof only !== 'boolean') throw new ConfigError(`${where}: readonly must be true or false`);
  return {
    user: text('user'),
    group: text('group'),
    readonly: only,
    apiGroup: text('apiGroup'),
    resource: text('resource'),
    namespace: text('namespace'),
    nonResourcePath: withOneStar(text('nonResourcePath')),
  };
}

/** In the older form a missing value matches everything, and the rule applies to all API groups. */
function older(line: JsonObject, where: string): AbacPolicy {
  const { user, group, resource, namespace, readonly: only } = fields(line, where);
  return {
    user,
    group: user === '' && group === '' ? ANY : group,
    readonly: only,
    apiGroup: ANY,
    resource: resource || ANY,
    namespace: namespace || ANY,
    nonResourcePath: resource === '' && namespace === '' ? ANY : '',
  };
}

/**
 * A policy for any user or any group applies to all authenticated users, even if it names others, and not to anonymous
 * users.
 */
function withoutWildcards(policy: AbacPolicy): AbacPolicy {
  if (policy.user !== ANY && policy.group !== ANY) return policy;
  return { ...policy, user: '', group: AUTHENTICATED };
}

/** Replaces several stars at the end of a pattern by one, which means the same. */
function withOneStar(pattern: string): string {
  let end = pattern.length;
  while (pattern.endsWith('**', end)) end--;
  return pattern.slice(0, end);
}
