import { own } from '#base/collections/own-properties.ts';
import { type FieldError, FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import { MOST_ERRORS } from '#base/errors/status-error.ts';
import type { ResourceQuota, ResourceQuotaSpec } from '#schema/generated/core.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { IMMUTABLE } from '#schema/validation/immutable.ts';
import { UNKNOWN_OPERATOR } from '#schema/validation/label-selector.ts';
import { type ResourceNames, resourceNames } from '#schema/validation/resource-names.ts';
import { validateResourceQuantity } from '#schema/validation/resources.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';

const SPEC = new FieldPath('spec');
const STATUS = new FieldPath('status');
/** Scopes whose selector may use only the operator Exists. */
const FLAGS = ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'CrossNamespacePodAffinity'];
/** The scopes for pods. */
const POD_SCOPES = [...FLAGS, 'PriorityClass'];
/** The scope for claims with a class of attributes. */
const ATTRIBUTES = 'VolumeAttributesClass';
const OF_CLAIMS = new Set(['persistentvolumeclaims', 'requests.storage']);
const CONFLICTS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
const POD_COMPUTE = new Set(['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']);

/** The names of resources that quotas support, and their scopes. */
interface QuotaRules {
  readonly names: ResourceNames;
  readonly scopes: readonly string[];
}

/** Checks amounts. Each key must be the name of a resource that quotas support. */
function validateAmounts(
  amounts: Readonly<Record<string, string>> | undefined,
  names: ResourceNames,
  path: FieldPath,
): FieldError[] {
  return Object.entries(amounts ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, amount]) => [
      ...names.validateForQuota(name, path.key(name)),
      ...validateResourceQuantity(name, amount, names, path.key(name)),
    ]);
}

/**
 * The number of limited resources to which a scope does not apply. One scope applies to claims, and all others to pods
 * and compute resources.
 */
function misapplied(scope: string, hard: readonly string[], { names, scopes }: QuotaRules): number {
  if (!scopes.includes(scope)) return 0;
  return hard.filter((name) => {
    const standard = !name.includes('/') && names.validateForQuota(name, SPEC).length === 0;
    if (scope === ATTRIBUTES) return standard && !OF_CLAIMS.has(name);
    return standard && name !== 'pods' && (scope === 'BestEffort' || !POD_COMPUTE.has(name));
  }).length;
}

function conflicts(scopes: ReadonlySet<string>): number {
  return CONFLICTS.filter(([a, b]) => scopes.has(a) && scopes.has(b)).length;
}

/** Errors that show all scopes. This list may be long, so each error is made once, at its first use. */
class ScopeErrors {
  readonly #path: FieldPath;
  readonly #value: unknown;
  readonly #made = new Map<string, FieldError>();
  #left = MOST_ERRORS;

  constructor(path: FieldPath, value: unknown) {
    this.#path = path;
    this.#value = value;
  }

  /**
   * One error several times, because clients see it so. The number is limited to the largest number of errors in
   * messages.
   */
  times(count: number, detail: string): FieldError[] {
    if (count === 0) return [];
    const error = this.#made.get(detail) ?? invalidValue(this.#path, this.#value, detail);
    this.#made.set(detail, error);
    const shown = Math.min(count, Math.max(this.#left, 1));
    this.#left -= shown;
    return new Array<FieldError>(shown).fill(error);
  }
}

/** Like {@link misapplied}, but it counts the resources once for each scope. */
function misapplications(hard: readonly string[], rules: QuotaRules): (scope: string) => number {
  const known = new Map<string, number>();
  return (scope) => {
    const count = known.get(scope) ?? misapplied(scope, hard, rules);
    known.set(scope, count);
    return count;
  };
}

function validateScopes(spec: ResourceQuotaSpec, rules: QuotaRules): FieldError[] {
  const scopes = spec.scopes ?? [];
  const misuse = misapplications(Object.keys(spec.hard ?? {}), rules);
  const errors = new ScopeErrors(SPEC.child('scopes'), scopes);
  return [
    ...scopes.flatMap((scope) => [
      ...errors.times(rules.scopes.includes(scope) ? 0 : 1, 'unsupported scope'),
      ...errors.times(misuse(scope), 'unsupported scope applied to resource'),
    ]),
    ...errors.times(conflicts(new Set(scopes)), 'conflicting scopes'),
  ];
}

function validateOperator(operator: string, values: readonly string[], path: FieldPath): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn': {
      const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      return values.length > 0 ? [] : [required(path.child('values'), detail)];
    }
    case 'Exists':
    case 'DoesNotExist': {
      const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      return values.length === 0 ? [] : [invalidValue(path.child('values'), values, detail)];
    }
    default:
      return [invalidValue(path.child('operator'), operator, UNKNOWN_OPERATOR)];
  }
}

const FLAG_OPERATOR = `must be 'Exist' when scope is any of ${FLAGS.slice(0, -1)
  .map((scope) => `ResourceQuotaScope${scope}`)
  .join(', ')} or ResourceQuotaScope${FLAGS.at(-1)}`;

function validateScopeSelector(spec: ResourceQuotaSpec, rules: QuotaRules): FieldError[] {
  const selector = spec.scopeSelector;
  if (selector === undefined) return [];
  const path = SPEC.child('scopeSelector', 'matchExpressions');
  const misuse = misapplications(Object.keys(spec.hard ?? {}), rules);
  const errors = new ScopeErrors(path, selector);
  const terms = selector.matchExpressions ?? [];
  return [
    ...terms.flatMap(({ scopeName, operator, values }) => [
      ...(rules.scopes.includes(scopeName)
        ? []
        : [invalidValue(path.child('scopeName'), scopeName, 'unsupported scope')]),
      ...errors.times(misuse(scopeName), 'unsupported scope applied to resource'),
      ...(FLAGS.includes(scopeName) && operator !== 'Exists'
        ? [invalidValue(path.child('operator'), operator, FLAG_OPERATOR)]
        : []),
      ...validateOperator(operator, values ?? [], path),
    ]),
    ...errors.times(conflicts(new Set(terms.map((term) => term.scopeName))), 'conflicting scopes'),
  ];
}

function validateSpec(spec: ResourceQuotaSpec, { naming, gates }: WriteContext): FieldError[] {
  const names = resourceNames(naming);
  const rules = { names, scopes: gates.enabled(ATTRIBUTES) ? [...POD_SCOPES, ATTRIBUTES] : POD_SCOPES };
  return [
    ...validateAmounts(spec.hard, names, SPEC.child('hard')),
    ...validateScopes(spec, rules),
    ...validateScopeSelector(spec, rules),
  ];
}

function validateStatus({ status = {} }: ResourceQuota, { naming }: WriteContext): FieldError[] {
  const names = resourceNames(naming);
  return [
    ...validateAmounts(status.hard, names, STATUS.child('hard')),
    ...validateAmounts(status.used, names, STATUS.child('used')),
  ];
}

/**
 * A text such as `cpu: 1/2, pods: 0/4`: the used amount and the limit of each resource. Limits of compute resources are
 * in a separate column.
 */
function usage({ status = {} }: ResourceQuota): { requests: string; limits: string } {
  const columns = { requests: [] as string[], limits: [] as string[] };
  for (const [name, hard] of Object.entries(status.hard ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const column = name.startsWith('limits.') ? columns.limits : columns.requests;
    column.push(`${name}: ${own(status.used, name) ?? '0'}/${hard}`);
  }
  return { requests: columns.requests.join(', '), limits: columns.limits.join(', ') };
}

/** The kind of quotas: the amount of each resource that all objects of a namespace may use together. */
export const resourceQuota = defineKind('core/resourcequotas', {
  validate: (object, context) => validateSpec(object.spec ?? {}, context),
  validateUpdate(object, old, context) {
    const { spec = {} } = object;
    const errors = validateSpec(spec, context);
    const [scopes, before] = [new Set(spec.scopes), new Set(old.spec?.scopes)];
    if (scopes.size !== before.size || [...scopes].some((scope) => !before.has(scope))) {
      errors.push(invalidValue(SPEC.child('scopes'), spec.scopes ?? [], IMMUTABLE));
    }
    return errors;
  },
  subresources: { status: { validateUpdate: (object, _old, context) => validateStatus(object, context) } },
  cells(object, { now }) {
    const { requests, limits } = usage(object);
    const old = age(object.metadata.creationTimestamp, now);
    return [object.metadata.name ?? '', old, requests, limits, old];
  },
});
