import type { Naming } from '#base/naming/naming.ts';
import { auditPolicy } from '#program/operator-files/kinds.ts';
import { type FilePart, readFile } from '#program/operator-files/read-file.ts';
import type { Problem } from '#program/operator-files/validate.ts';
import type { Policy, PolicyRule } from '#schema/generated/audit.v1.ts';
import { type AuditLevel, AuditPolicy, type AuditRule, type AuditStage } from './policy.ts';

/**
 * Reads the policy of `--audit-policy-file`: a Policy of the audit group in v1, in YAML or JSON.
 * @throws ConfigError with a line for each mistake, which has its place and the problem
 */
export function readAuditPolicy(file: string, naming: Naming): AuditPolicy {
  return auditPolicyOf(readFile(file, 'audit-policy-file'), naming);
}

/** The policy in a file. @throws ConfigError as {@link readAuditPolicy} */
export function auditPolicyOf(part: FilePart, naming: Naming): AuditPolicy {
  const policy = part.as(auditPolicy, naming);
  const rules = policy.rules ?? [];
  part.refuse(
    rules.length === 0
      ? [{ path: ['rules'], what: 'has no rules: nothing would ever be recorded' }]
      : rules.flatMap(problemsOfRule),
  );
  return new AuditPolicy(rules.map((rule) => ruleOf(rule, policy)));
}

function ruleOf(rule: PolicyRule, policy: Policy): AuditRule {
  return {
    level: rule.level as AuditLevel,
    omitStages: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])] as AuditStage[]),
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
    users: rule.users ?? [],
    userGroups: rule.userGroups ?? [],
    verbs: rule.verbs ?? [],
    resources: (rule.resources ?? []).map(({ group, resources, resourceNames }) => ({
      group: group ?? '',
      resources: resources ?? [],
      resourceNames: resourceNames ?? [],
    })),
    namespaces: rule.namespaces ?? [],
    nonResourceURLs: rule.nonResourceURLs ?? [],
  };
}

function problemsOfRule(rule: PolicyRule, i: number): Problem[] {
  const problems: Problem[] = [];
  const isAbout = (names: readonly unknown[] | undefined) => (names ?? []).length > 0;
  if (isAbout(rule.nonResourceURLs) && (isAbout(rule.resources) || isAbout(rule.namespaces)))
    problems.push({
      path: ['rules', i, 'nonResourceURLs'],
      what: 'cannot stand here: a rule is about resources or about other paths, not about both',
    });
  (rule.resources ?? []).forEach(({ resources, resourceNames }, j) => {
    if (isAbout(resourceNames) && !isAbout(resources))
      problems.push({
        path: ['rules', i, 'resources', j, 'resourceNames'],
        what: 'cannot stand alone: names need the resources they are of',
      });
  });
  return problems;
}
