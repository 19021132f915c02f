import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ConfigError } from '#base/errors/config-error.ts';
import { type FieldError, FieldPath, invalidValue, notSupported, required } from '#base/errors/field-error.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import { sharedMessage } from '#schema/descriptors/load.ts';
import type { GroupResources, Policy, PolicyRule } from '#schema/generated/audit.v1.ts';
import { DecodeError, decodeObject } from '#schema/objects/decode.ts';
import { dns1123Subdomain } from '#schema/validation/names.ts';
import { type AuditLevel, AuditPolicy, type AuditRule, type AuditStage, auditLevels, auditStages } from './policy.ts';

/**
 * Reads the policy of `--audit-policy-file`: a Policy of the audit group in v1, in YAML or JSON.
 * @throws ConfigError that names the file and everything that is wrong in it
 */
export function readAuditPolicy(file: string, naming: Naming): AuditPolicy {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`cannot read the audit policy ${file}: ${(error as Error).message}`);
  }
  try {
    return parseAuditPolicy(text, naming);
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`audit policy ${file}: ${error.message}`);
    throw error;
  }
}

/** The policy that a text describes. @throws ConfigError that says what is wrong */
export function parseAuditPolicy(text: string, naming: Naming): AuditPolicy {
  const policy = decode(documentOf(text), naming.apiVersion('audit', 'v1'));
  const errors = validate(policy);
  if (errors.length > 0) throw new ConfigError(errors.map((error) => error.text).join('; '));
  const rules = policy.rules ?? [];
  if (rules.length === 0) throw new ConfigError('it has no rules: nothing would ever be recorded');
  return new AuditPolicy(rules.map((rule) => ruleOf(rule, policy)));
}

function documentOf(text: string): JsonValue {
  try {
    return parse(text) as JsonValue;
  } catch (error) {
    throw new ConfigError(`it is neither YAML nor JSON: ${(error as Error).message}`);
  }
}

function decode(document: JsonValue, apiVersion: string): Policy {
  if (!isObject(document)) throw new ConfigError('it is not an object');
  if (document['kind'] !== 'Policy' || document['apiVersion'] !== apiVersion) {
    const found = `${JSON.stringify(document['kind'] ?? '')} in ${JSON.stringify(document['apiVersion'] ?? '')}`;
    throw new ConfigError(`it must be of kind "Policy" in "${apiVersion}", not ${found}`);
  }
  const unknown: string[] = [];
  let policy: JsonObject;
  try {
    const message = sharedMessage('audit.v1.Policy');
    policy = decodeObject(message, document, { unknown: (path) => unknown.push(path) });
  } catch (error) {
    if (error instanceof DecodeError) throw new ConfigError(error.detail);
    throw error;
  }
  // a misspelt restriction would record other requests than it says
  if (unknown.length > 0) throw new ConfigError(`unknown fields: ${unknown.join(', ')}`);
  return policy as unknown as Policy;
}

function ruleOf(rule: PolicyRule, policy: Policy): AuditRule {
  const { users = [], userGroups = [], verbs = [], resources = [], namespaces = [], nonResourceURLs = [] } = rule;
  return {
    level: rule.level as AuditLevel,
    omitStages: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])] as AuditStage[]),
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
    users,
    userGroups,
    verbs,
    resources,
    namespaces,
    nonResourceURLs,
  };
}

function validate(policy: Policy): FieldError[] {
  const rules = new FieldPath('rules');
  return [
    ...stageErrors(policy.omitStages, new FieldPath('omitStages')),
    ...(policy.rules ?? []).flatMap((rule, i) => ruleErrors(rule, rules.index(i))),
  ];
}

function ruleErrors(rule: PolicyRule, path: FieldPath): FieldError[] {
  const errors = [
    ...levelErrors(rule.level, path.child('level')),
    ...urlErrors(rule, path.child('nonResourceURLs')),
    ...(rule.resources ?? []).flatMap((about, i) => resourceErrors(about, path.child('resources').index(i))),
    ...stageErrors(rule.omitStages, path.child('omitStages')),
  ];
  return errors;
}

function levelErrors(level: string, path: FieldPath): FieldError[] {
  if (level === '') return [required(path)];
  return auditLevels.some((known) => known === level) ? [] : [notSupported(path, level, auditLevels)];
}

function stageErrors(stages: readonly string[] = [], path: FieldPath): FieldError[] {
  return stages.flatMap((stage, i) =>
    auditStages.some((known) => known === stage) ? [] : [notSupported(path.index(i), stage, auditStages)],
  );
}

function urlErrors(rule: PolicyRule, path: FieldPath): FieldError[] {
  const { nonResourceURLs: urls = [], resources = [], namespaces = [] } = rule;
  const errors = urls.flatMap((url, i) => {
    if (url === '*') return [];
    if (!url.startsWith('/')) return [invalidValue(path.index(i), url, 'paths begin with "/"')];
    if (!url.slice(0, -1).includes('*')) return [];
    return [invalidValue(path.index(i), url, 'only the last character may be the wildcard "*"')];
  });
  if (urls.length > 0 && resources.length + namespaces.length > 0) {
    errors.push(invalidValue(path, urls, 'a rule is about resources or about other paths, not about both'));
  }
  return errors;
}

function resourceErrors(about: GroupResources, path: FieldPath): FieldError[] {
  const { group = '', resources = [], resourceNames = [] } = about;
  const errors =
    group === '' ? [] : dns1123Subdomain(group).map((why) => invalidValue(path.child('group'), group, why));
  if (resourceNames.length > 0 && resources.length === 0) {
    errors.push(invalidValue(path.child('resourceNames'), resourceNames, 'names need the resources they are of'));
  }
  return errors;
}
