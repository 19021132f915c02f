import { badRequest, internalError, timeout } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { qualifiedName } from '#schema/validation/names.ts';
import type { Access } from '../../api/access.ts';
import type { AdmissionRequest, Phase } from '../../api/admission.ts';
import type { RequestContext } from '../../api/request-context.ts';
import { REVIEWS } from '../../api/reviews.ts';
import type { FeatureGates } from '../../config/feature-gates.ts';
import { Evaluator, OutOfBudget } from '../../expressions/admission/evaluator.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { PluginEnvironment, Target } from '../plugin.ts';
import { RequestInputs } from '../policies/request-inputs.ts';
import { CONDITIONS_BUDGET, ConditionError, ExpressionRuns } from '../policies/run-expressions.ts';
import { refusal } from '../refusal.ts';
import { CallError, WebhookDenial } from './call-error.ts';
import { type Candidate, Candidates } from './candidates.ts';
import { readWebhookCredentials } from './credentials.ts';
import { denialOf, type ReviewAnswer } from './review-answer.ts';
import type { ReviewObjects } from './review-objects.ts';
import { WebhookCaller } from './webhook-caller.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';
import { type ConfigurationKind, WebhookSource } from './webhook-source.ts';

const EXEMPT: ReadonlySet<string> = new Set([
  'mutatingwebhookconfigurations',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
]);

/**
 * Whether the server calls webhooks for a request. It does not call them for webhook configurations, so that an
 * administrator can always change a configuration that refuses everything. Later releases do not call them for reviews
 * either.
 */
export function mayAskWebhooks(gates: FeatureGates): (target: Target) => boolean {
  const withoutReviews = gates.enabled('ExcludeAdmissionWebhookVirtualResources');
  return ({ group, resource }) => {
    if (group === 'admissionregistration') return !EXEMPT.has(resource);
    return !withoutReviews || REVIEWS.get(group)?.has(resource) !== true;
  };
}

/** The refusal when the request's time limit is over, or when its client has disconnected. */
function outOfTime() {
  return timeout('Timeout: request did not complete within requested timeout');
}

function isOver({ signal, deadlineAt }: RequestContext): boolean {
  return signal.aborted || deadlineAt <= performance.now();
}

/** The common part of mutating and validating webhooks: the known webhooks, and the call of one. */
export class WebhookDispatcher {
  readonly cluster: ClusterView;
  readonly #phase: Phase;
  readonly #source: WebhookSource;
  readonly #candidates: Candidates;
  readonly #caller: WebhookCaller;
  readonly #metrics: WebhookMetrics;
  readonly #naming: Naming;
  readonly #access: Access;

  /** @throws ConfigError for an invalid configuration of the plug-in */
  constructor(environment: PluginEnvironment, plural: ConfigurationKind) {
    const { cluster, naming, access, services, configuration, metrics, warn } = environment;
    this.cluster = cluster;
    this.#phase = plural === 'mutatingwebhookconfigurations' ? 'admit' : 'validate';
    this.#source = new WebhookSource(cluster, plural);
    this.#candidates = new Candidates();
    const credentials = readWebhookCredentials(configuration, naming, warn);
    this.#caller = new WebhookCaller(naming, cluster, credentials, services, metrics.calls);
    this.#metrics = metrics.webhooks;
    this.#naming = naming;
    this.#access = access;
  }

  /** The webhooks whose rules match the request, in order. */
  candidates({ served, operation, subresource }: AdmissionRequest): readonly Candidate[] {
    return this.#candidates.of(this.#source.current(), served, operation, subresource);
  }

  /**
   * Whether the conditions of a webhook hold for a request. If they have errors, the webhook's failure policy decides,
   * and the webhook is not called.
   * @throws StatusError (403) if the conditions cannot be evaluated and the webhook does not fail open
   */
  async isWanted({ webhook, served }: Candidate, request: AdmissionRequest, objects: ReviewObjects): Promise<boolean> {
    const { conditions, failsOpen } = webhook;
    if (conditions === undefined) return true;
    const inputs = new RequestInputs(this.#naming, this.#access, request, objects);
    const seen = await objects.seen(served);
    const evaluator = new Evaluator(inputs.of(served, seen), [], CONDITIONS_BUDGET);
    try {
      return await new ExpressionRuns().allHold(evaluator, conditions());
    } catch (error) {
      if (!(error instanceof ConditionError || error instanceof OutOfBudget)) throw error;
      if (failsOpen) return false;
      throw refusal(request, error.message);
    }
  }

  /**
   * Calls a webhook and returns its answer if it allows the request. Undefined if the call failed and the failure
   * policy ignores this.
   * @throws the refusal, a StatusError (500) for a failed call, and what `use` throws
   */
  async ask<T>(
    candidate: Candidate,
    request: AdmissionRequest,
    objects: ReviewObjects,
    use: (answer: ReviewAnswer) => T | Promise<T>,
  ): Promise<T | undefined> {
    const { webhook } = candidate;
    const { context } = request;
    const labels = { name: webhook.name, operation: request.operation, phase: this.#phase };
    const started = performance.now();
    const called = (code: number, rejected: boolean): void =>
      this.#metrics.called(labels, (performance.now() - started) / 1000, code, rejected);
    try {
      if (isOver(context)) throw outOfTime();
      if (request.dryRun && !webhook.takesDryRuns) {
        throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
      }
      const answer = await this.#caller.ask(candidate, request, objects, this.#phase === 'admit');
      takeNotes(request, webhook.name, answer);
      if (!answer.allowed) throw denialOf(webhook.name, answer.status);
      const used = await use(answer);
      called(200, false);
      return used;
    } catch (error) {
      if (error instanceof CallError) {
        called(error.code, !webhook.failsOpen);
        if (!webhook.failsOpen) {
          this.#metrics.rejected(labels, 'calling_webhook_error', error.code);
          // The time of the request may have ended together with the time of the call.
          if (isOver(context)) throw outOfTime();
          throw internalError(error.message);
        }
        this.#metrics.failedOpen(labels);
        this.#noteOpenFailure(candidate, request);
        if (isOver(context)) throw outOfTime();
        return undefined;
      }
      const denied = error instanceof WebhookDenial;
      called(denied ? error.code : 0, true);
      this.#metrics.rejected(labels, denied ? 'no_error' : 'apiserver_internal_error', denied ? error.code : 0);
      throw error;
    }
  }

  /** Records in the audit log that the webhook did not check the request. */
  #noteOpenFailure({ webhook, index }: Candidate, { context, reinvocation }: AdmissionRequest): void {
    const step = this.#phase === 'admit' ? 'mutation' : 'validating';
    const round = reinvocation?.again === true && this.#phase === 'admit' ? 1 : 0;
    const key = this.#naming.key(`${step}.webhook.admission/round_${round}_index_${index}`);
    context.annotations.set(`failed-open.${key}`, webhook.name);
  }
}

/**
 * Passes on the warnings and audit annotations of an answer, even of a refusal. Warnings go to the client. Audit
 * annotations go to the audit log, under the webhook's name.
 */
function takeNotes({ context }: AdmissionRequest, webhook: string, answer: ReviewAnswer): void {
  for (const warning of answer.warnings) context.warnings.addForeign(warning);
  for (const [key, value] of Object.entries(answer.auditAnnotations)) {
    const full = `${webhook}/${key}`;
    if (qualifiedName(full).length === 0 && !context.annotations.has(full)) context.annotations.set(full, value);
  }
}
