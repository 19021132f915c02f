import { append } from '#base/collections/append.ts';
import { duplicate, type FieldError, type FieldPath, invalidValue, notSupported } from '#base/errors/field-error.ts';
import type { MatchResources, NamedRuleWithOperations } from '#schema/generated/admissionregistration.v1.ts';
import { validateLabelSelector } from '#schema/validation/label-selector.ts';
import { pathSegmentName } from '#schema/validation/names.ts';
import { validateWebhookRule } from './webhook-rules.ts';

const MATCH_POLICIES = ['Equivalent', 'Exact'];
/** The operations in which admission can change the object. */
const MUTATED = ['CREATE', 'UPDATE'];

function validateNamedRule(rule: NamedRuleWithOperations, path: FieldPath): FieldError[] {
  const names = new Set<string>();
  const errors: FieldError[] = [];
  for (const [i, name] of (rule.resourceNames ?? []).entries()) {
    const at = path.child('resourceNames').index(i);
    append(
      errors,
      pathSegmentName(name).map((problem) => invalidValue(at, name, problem)),
    );
    if (names.has(name)) errors.push(duplicate(at, name));
    names.add(name);
  }
  return [...errors, ...validateWebhookRule(rule, path)];
}

/** Validates to which requests a policy or a binding applies. */
export function validateMatchResources(match: MatchResources | null | undefined, path: FieldPath): FieldError[] {
  if (match == null) return [];
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules, excludeResourceRules } = match;
  const isKnown = matchPolicy === undefined || MATCH_POLICIES.includes(matchPolicy);
  const rules = (list: readonly NamedRuleWithOperations[] | undefined, name: string): FieldError[] =>
    (list ?? []).flatMap((rule, i) => validateNamedRule(rule, path.child(name).index(i)));
  return [
    ...(isKnown ? [] : [notSupported(path.child('matchPolicy'), matchPolicy, MATCH_POLICIES)]),
    ...validateLabelSelector(namespaceSelector, path.child('namespaceSelector')),
    ...validateLabelSelector(objectSelector, path.child('objectSelector')),
    ...rules(resourceRules, 'resourceRules'),
    ...rules(excludeResourceRules, 'excludeResourceRules'),
  ];
}

/** Validates the operations of a mutating policy. Admission can change an object only when it is created or updated. */
export function validateMutatingOperations(match: MatchResources | null | undefined, path: FieldPath): FieldError[] {
  const at = path.child('resourceRules', 'operations');
  const operations = (match?.resourceRules ?? []).flatMap((rule) => rule.operations ?? []);
  return operations.flatMap((operation) => (MUTATED.includes(operation) ? [] : [notSupported(at, operation, MUTATED)]));
}
