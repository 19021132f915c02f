import { askedBefore } from '#base/collections/asked-before.ts';
import {
  duplicate,
  type FieldError,
  FieldPath,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import type { Release } from '#base/release/release.ts';
import { webhookConfigurationVersions } from '#schema/conversion/admissionregistration/webhook-configurations.ts';
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '#schema/generated/admissionregistration.v1.ts';
import { validateQualifiedDomain } from '#schema/validation/domain-names.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validateLabelSelector } from '#schema/validation/label-selector.ts';
import { dns1035Label } from '#schema/validation/names.ts';
import { validateWebhookClient } from '#schema/validation/webhook-client.ts';
import type { KindRules, WriteContext } from '../../api/resource-definition.ts';
import { REVIEWS } from '../../api/reviews.ts';
import { defineKind, type Rules } from '../define-kind.ts';
import { ExpressionChecks } from './expression-checks.ts';
import { reservedName, reservedNameWarnings } from './reserved-names.ts';
import { validateWebhookRule } from './webhook-rules.ts';

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;
/** A webhook of either kind. Only a mutating webhook may be called again after others. */
type Webhook = MutatingWebhook;

const WEBHOOKS = new FieldPath('webhooks');
const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/** Validates that a value is one of a few. A missing value is valid. */
function validateChoice(value: string | undefined, supported: readonly string[], path: FieldPath): FieldError[] {
  return value === undefined || supported.includes(value) ? [] : [notSupported(path, value, supported)];
}

function validateSideEffects(value: string | null | undefined, path: FieldPath): FieldError[] {
  if (value == null) return [required(path, `must specify one of ${SIDE_EFFECTS.join(', ')}`)];
  return validateChoice(value, SIDE_EFFECTS, path);
}

function validateTimeout(seconds: number | undefined, path: FieldPath): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= 30)) return [];
  return [invalidValue(path, seconds, 'the timeout value must be between 1 and 30 seconds')];
}

/**
 * Validates how a webhook is reached. A `caBundle` may be any text: installers store a placeholder, and another program
 * writes the bundle later.
 */
function validateWebhook(webhook: Webhook, path: FieldPath): FieldError[] {
  return [
    ...validateQualifiedDomain(webhook.name, path.child('name')),
    ...(webhook.rules ?? []).flatMap((rule, i) => validateWebhookRule(rule, path.child('rules').index(i))),
    ...validateChoice(webhook.failurePolicy, FAILURE_POLICIES, path.child('failurePolicy')),
    ...validateChoice(webhook.matchPolicy, MATCH_POLICIES, path.child('matchPolicy')),
    ...validateSideEffects(webhook.sideEffects, path.child('sideEffects')),
    ...validateTimeout(webhook.timeoutSeconds, path.child('timeoutSeconds')),
    ...validateLabelSelector(webhook.namespaceSelector, path.child('namespaceSelector')),
    ...validateLabelSelector(webhook.objectSelector, path.child('objectSelector')),
    ...validateChoice(webhook.reinvocationPolicy, REINVOCATION_POLICIES, path.child('reinvocationPolicy')),
    ...validateWebhookClient(webhook.clientConfig, path.child('clientConfig')),
  ];
}

/** Validates the review versions of a webhook. Each must occur once, and this server must support at least one. */
function validateReviewVersions(versions: readonly string[] | null, path: FieldPath): FieldError[] {
  const known = REVIEW_VERSIONS.join(', ');
  if (versions === null || versions.length === 0) return [required(path, `must specify one of ${known}`)];
  const again = askedBefore<string>();
  const errors = versions.flatMap((version, i) =>
    again(version)
      ? [invalidValue(path.index(i), version, 'duplicate version')]
      : dns1035Label(version).map((problem) => invalidValue(path.index(i), version, problem)),
  );
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return errors;
  return [...errors, invalidValue(path, versions, `must include at least one of ${known}`)];
}

/** Whether an update keeps the conditions of all webhooks. If so, they are not checked again. */
function keepsConditions(webhooks: readonly Webhook[], old: readonly Webhook[] | undefined): boolean {
  const of = (list: readonly Webhook[]) => list.map(({ matchConditions = [] }) => matchConditions);
  return old !== undefined && jsonEqual(of(webhooks), of(old));
}

function validate(release: Release, { webhooks = [] }: Configuration, old: Configuration | undefined): FieldError[] {
  const names = new Set<string>();
  const before = old && ((old.webhooks ?? []) as readonly Webhook[]);
  const texts = (before ?? []).flatMap(({ matchConditions = [] }) =>
    matchConditions.map(({ expression }) => expression),
  );
  const checks = new ExpressionChecks(release, new Set(texts));
  const kept = keepsConditions(webhooks as readonly Webhook[], before);
  return (webhooks as readonly Webhook[]).flatMap((webhook, i) => {
    const path = WEBHOOKS.index(i);
    const again = webhook.name !== '' && names.has(webhook.name);
    names.add(webhook.name);
    return [
      ...validateWebhook(webhook, path),
      ...(kept ? [] : checks.conditions(webhook.matchConditions, path.child('matchConditions'), false)),
      ...validateReviewVersions(webhook.admissionReviewVersions, path.child('admissionReviewVersions')),
      ...(again ? [duplicate(path.child('name'), webhook.name)] : []),
    ];
  });
}

/**
 * Warnings about access reviews in rules, because no webhook is called for them. Rules with wildcards may be meant for
 * other resources.
 */
function reviewWarnings({ webhooks = [] }: Configuration, { naming }: WriteContext): string[] {
  return (webhooks as readonly Webhook[]).flatMap(({ rules }, i) =>
    (rules ?? []).flatMap(({ apiGroups, resources }, j) => {
      if (apiGroups?.includes('*') || resources?.includes('*')) return [];
      const groups = [...new Set(apiGroups)].filter((group) => REVIEWS.has(naming.shortForm(group)));
      if (groups.length === 0) return [];
      const unique = [...new Set(resources)];
      const named = groups.flatMap((group) =>
        unique
          .filter((resource) => REVIEWS.get(naming.shortForm(group))?.has(resource))
          .map((resource) => `${resource}.${group}`),
      );
      const path = WEBHOOKS.index(i).child('rules').index(j);
      return named.map((text) => `${path}: ${text} is excluded from admission webhooks; this rule will have no effect`);
    }),
  );
}

function configurationRules<T extends Configuration>(release: Release) {
  return {
    anyFinalizers: true,
    versions: webhookConfigurationVersions,
    revalidatesOnUpdate: true,
    ignoresMetadataChange: true,
    validate: (object, context, old) => [
      ...validate(release, object, old),
      ...(old === undefined ? reservedName(object, context) : []),
    ],
    warnings: (object, old, context) => [
      ...reservedNameWarnings(object, old, context),
      ...(context.gates.enabled('ExcludeAdmissionWebhookVirtualResources') ? reviewWarnings(object, context) : []),
    ],
    cells: ({ metadata, webhooks }, { now }) => [
      metadata.name ?? '',
      webhooks?.length ?? 0,
      age(metadata.creationTimestamp, now),
    ],
  } satisfies Rules<T>;
}

/**
 * The rules of configurations of webhooks. These list services that may change objects before they are stored, or
 * services that may refuse them.
 */
export function createWebhookRules(release: Release): readonly KindRules[] {
  return [
    defineKind(
      'admissionregistration/mutatingwebhookconfigurations',
      configurationRules<MutatingWebhookConfiguration>(release),
    ) as KindRules,
    defineKind(
      'admissionregistration/validatingwebhookconfigurations',
      configurationRules<ValidatingWebhookConfiguration>(release),
    ) as KindRules,
  ];
}
