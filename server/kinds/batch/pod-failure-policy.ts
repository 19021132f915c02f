import { append } from '#base/collections/append.ts';
import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from '#base/errors/field-error.ts';
import type { Release } from '#base/release/release.ts';
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from '#schema/generated/batch.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { validateLabelKey } from '#schema/validation/labels.ts';

const ACTIONS = ['Count', 'FailJob', 'Ignore'];
const LATER_ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];
const MAX_RULES = bounds['batch.v1.PodFailurePolicy'].rules.maxItems;
const MAX_PATTERNS = bounds['batch.v1.PodFailurePolicyRule'].onPodConditions.maxItems;
const MAX_CODES = bounds['batch.v1.PodFailurePolicyOnExitCodesRequirement'].values.maxItems;

/** An error about a whole rule. It does not show the rule. */
function invalidRule(path: FieldPath, detail: string): FieldError {
  const field = path.toString();
  const body = `Invalid value: ${detail}`;
  return { type: 'FieldValueInvalid', field, body, text: `${field}: ${body}` };
}

function validateWord(word: string, words: readonly string[], path: FieldPath): FieldError[] {
  if (words.includes(word)) return [];
  if (word !== '') return [notSupported(path, word, words)];
  return [required(path, `valid values: [${words.map((value) => JSON.stringify(value)).join(' ')}]`)];
}

function validateCodes(codes: readonly number[], operator: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (codes.length === 0) errors.push(invalidValue(path, codes, 'at least one value is required'));
  if (codes.length > MAX_CODES) errors.push(tooMany(path, codes.length, MAX_CODES));
  const seen = new Set<number>();
  codes.forEach((code, i) => {
    const at = path.index(i);
    if (operator === 'In' && code === 0) errors.push(invalidValue(at, code, 'must not be 0 for the In operator'));
    if (seen.has(code)) errors.push(duplicate(at, code));
    seen.add(code);
  });
  if (codes.some((code, i) => i > 0 && (codes[i - 1] ?? 0) > code)) {
    errors.push(invalidValue(path, codes, 'must be ordered'));
  }
  return errors;
}

function validateOnExitCodes(
  { operator, containerName, values }: PodFailurePolicyOnExitCodesRequirement,
  containers: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  const errors = validateWord(operator, OPERATORS, path.child('operator'));
  if (containerName != null && !containers.has(containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalidValue(path.child('containerName'), containerName, detail));
  }
  return [...errors, ...validateCodes(values ?? [], operator, path.child('values'))];
}

function validateOnConditions(
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
  path: FieldPath,
): FieldError[] {
  return [
    ...(patterns.length > MAX_PATTERNS ? [tooMany(path, patterns.length, MAX_PATTERNS)] : []),
    ...patterns.flatMap(({ type, status }, i) => [
      ...validateLabelKey(type, path.index(i).child('type')),
      ...validateWord(status, STATUSES, path.index(i).child('status')),
    ]),
  ];
}

/** Validates an action. `FailIndex` exists since release 1.28, and needs a limit for each index. */
function validateAction(action: string, limit: number | undefined, release: Release, path: FieldPath): FieldError[] {
  if (!release.atLeast(28)) return validateWord(action, ACTIONS, path);
  if (action === 'FailIndex' && limit === undefined)
    return [invalidValue(path, action, 'requires the backoffLimitPerIndex to be set')];
  return validateWord(action, LATER_ACTIONS, path);
}

function validateRule(rule: PodFailurePolicyRule, containers: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const conditions = rule.onPodConditions ?? [];
  const errors: FieldError[] = [];
  if (rule.onExitCodes != null) {
    append(errors, validateOnExitCodes(rule.onExitCodes, containers, path.child('onExitCodes')));
  }
  append(errors, validateOnConditions(conditions, path.child('onPodConditions')));
  if (rule.onExitCodes != null && conditions.length > 0) {
    errors.push(invalidRule(path, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  if (rule.onExitCodes == null && conditions.length === 0) {
    errors.push(invalidRule(path, 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
  return errors;
}

/** Validates how a job reacts to failures of its pods, by exit code or by condition. `path` leads to the policy. */
export function validatePodFailurePolicy(
  { podFailurePolicy, template, backoffLimitPerIndex }: JobSpec,
  path: FieldPath,
  release: Release,
): FieldError[] {
  if (podFailurePolicy === undefined) return [];
  const rules = podFailurePolicy.rules ?? [];
  const at = path.child('rules');
  const { containers, initContainers } = template.spec ?? {};
  const names = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name));
  return [
    ...(rules.length > MAX_RULES ? [tooMany(at, rules.length, MAX_RULES)] : []),
    ...rules.flatMap((rule, i) => [
      ...validateAction(rule.action, backoffLimitPerIndex, release, at.index(i).child('action')),
      ...validateRule(rule, names, at.index(i)),
    ]),
  ];
}
