import { bundleText, unreadableBundle } from '#base/x509/ca-bundle.ts';
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from '#schema/generated/admissionregistration.v1.ts';
import { isEmptySelector, type LabelSelector, labelMatcher } from '#schema/validation/label-selector.ts';

import type { AdmissionExpression } from '../../expressions/admission/evaluator.ts';
import { compileConditions, once } from '../policies/compile-conditions.ts';

export type ReviewVersion = 'v1' | 'v1beta1';
export type Labels = Readonly<Record<string, string>>;
/** Whether a selector selects labels. */
export type Selector = (labels: Labels | undefined) => boolean;

/** One webhook of a configuration, prepared so that a match is cheap. */
export interface Webhook {
  readonly configuration: string;
  readonly name: string;
  /** A text that identifies the webhook among all webhooks of its kind. */
  readonly id: string;
  readonly rules: readonly RuleWithOperations[];
  /** Whether rules match a request through any version of the resource. */
  readonly equivalent: boolean;
  /** Undefined means every namespace. */
  readonly namespaceSelector: Selector | undefined;
  /** Undefined means every object. */
  readonly objectSelector: Selector | undefined;
  /** Whether a request passes if the call fails. */
  readonly failsOpen: boolean;
  readonly takesDryRuns: boolean;
  /** The version of reviews; undefined if the webhook supports no version of this server. */
  readonly reviewVersion: ReviewVersion | undefined;
  readonly timeoutMs: number;
  /** Whether it is called again if other webhooks change the object after its call. */
  readonly reinvoked: boolean;
  /**
   * The webhook is called only if all of these conditions hold. They are compiled at the first use. Undefined means
   * always.
   */
  readonly conditions: (() => readonly AdmissionExpression[]) | undefined;
  readonly client: WebhookClientConfig;
  /** The authorities (PEM); undefined means the authorities of the system. */
  readonly ca: string | undefined;
  /** Why `ca` cannot verify any certificate. It is computed at the first call. */
  readonly caProblem: () => string | undefined;
}

/** A selector as a function; undefined if it selects everything. */
export function selectorOf(selector: LabelSelector | null | undefined): Selector | undefined {
  if (selector == null || isEmptySelector(selector)) return undefined;
  const matches = labelMatcher(selector);
  return (labels) => matches(labels as Record<string, string> | undefined);
}

function authoritiesOf({ caBundle }: WebhookClientConfig): Pick<Webhook, 'ca' | 'caProblem'> {
  const ca = bundleText(caBundle);
  const looked = once(() => ({ problem: ca && unreadableBundle(ca) }));
  return { ca, caProblem: () => looked().problem };
}

/** The webhooks of a configuration in their order. Missing fields are read as their defaults. */
export function webhooksOf(object: MutatingWebhookConfiguration | ValidatingWebhookConfiguration): readonly Webhook[] {
  const configuration = object.metadata.name ?? '';
  return ((object.webhooks ?? []) as readonly MutatingWebhook[]).map((webhook) => ({
    configuration,
    name: webhook.name,
    id: `${configuration}/${webhook.name}`,
    rules: webhook.rules ?? [],
    equivalent: webhook.matchPolicy !== 'Exact',
    namespaceSelector: selectorOf(webhook.namespaceSelector),
    objectSelector: selectorOf(webhook.objectSelector),
    failsOpen: webhook.failurePolicy === 'Ignore',
    takesDryRuns: webhook.sideEffects === 'None' || webhook.sideEffects === 'NoneOnDryRun',
    reviewVersion: webhook.admissionReviewVersions?.find(
      (version): version is ReviewVersion => version === 'v1' || version === 'v1beta1',
    ),
    timeoutMs: (webhook.timeoutSeconds ?? 10) * 1000,
    reinvoked: webhook.reinvocationPolicy === 'IfNeeded',
    conditions:
      (webhook.matchConditions ?? []).length === 0
        ? undefined
        : once(() => compileConditions(webhook.matchConditions, false)),
    client: webhook.clientConfig,
    ...authoritiesOf(webhook.clientConfig),
  }));
}
