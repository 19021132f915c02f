import type { Naming } from '#base/naming/naming.ts';
import { asStep } from '#program/tracing/request-stages.ts';
import { tracedPost } from '#program/tracing/traced-calls.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import type { CountedCall } from '../../outbound/call-metrics.ts';
import type { Address, ClusterServices } from '../../outbound/cluster-services.ts';
import { HttpsPoster } from '../../outbound/https-post.ts';
import { authorizationOf } from '../../outbound/webhook-connection.ts';
import { webhookUrl } from '../../outbound/webhook-url.ts';
import { whyFailed } from '../../outbound/why-failed.ts';
import type { ClusterView } from '../cluster-view.ts';
import { CallError, httpFailure } from './call-error.ts';
import type { Candidate } from './candidates.ts';
import type { CredentialsFor } from './credentials.ts';
import { writeReview } from './review.ts';
import { type ReviewAnswer, readAnswer, UnfittingAnswer, UnreadableAnswer } from './review-answer.ts';
import type { ReviewObjects } from './review-objects.ts';
import type { Webhook } from './webhook.ts';

/** The HTTP code of a malformed answer in the metrics. */
const UNFITTING = 503;

interface Target {
  /** The path without the query. */
  readonly url: URL;
  /** The name by which credentials for the webhook are found. */
  readonly hostPort: string;
  /**
   * @throws Error if none is available
   */
  address(): Address;
  readonly serverName: string | undefined;
}

/** Calls webhooks over HTTPS. */
export class WebhookCaller {
  readonly #naming: Naming;
  readonly #cluster: ClusterView;
  readonly #credentials: CredentialsFor;
  readonly #services: ClusterServices;
  readonly #poster: HttpsPoster;
  readonly #userAgent: string;

  constructor(
    naming: Naming,
    cluster: ClusterView,
    credentials: CredentialsFor,
    services: ClusterServices,
    counted: CountedCall,
  ) {
    this.#poster = new HttpsPoster(counted);
    this.#naming = naming;
    this.#cluster = cluster;
    this.#credentials = credentials;
    this.#services = services;
    this.#userAgent = `${naming.prefixed('apiserver')}-admission`;
  }

  /**
   * The answer of a webhook to a request.
   * @throws CallError
   */
  async ask(
    candidate: Candidate,
    request: AdmissionRequest,
    objects: ReviewObjects,
    mutating: boolean,
  ): Promise<ReviewAnswer> {
    const { webhook } = candidate;
    const { name, reviewVersion: version } = webhook;
    if (version === undefined) {
      throw new CallError(name, 'could not create admission objects: webhook does not accept known versions');
    }
    const caProblem = webhook.caProblem();
    if (caProblem) {
      throw new CallError(name, `could not get REST client: unable to load root certificates: ${caProblem}`);
    }
    const review = await writeReview(this.#naming, request, objects, candidate, version);
    const { stages } = request.context;
    const began = performance.now();
    const post = (traceparent: string | undefined) => this.#post(webhook, request, review.body, traceparent);
    const answer = await asStep('webhook', name, post, tracedPost).finally(() =>
      stages.askedWebhook(mutating ? 'admit' : 'validate', performance.now() - began),
    );
    try {
      const asked = { uid: review.uid, version, mutating };
      return readAnswer(this.#cluster.registry.schema, this.#naming, answer, asked);
    } catch (error) {
      if (error instanceof UnreadableAnswer) throw new CallError(name, `failed to call webhook: ${error.message}`);
      if (!(error instanceof UnfittingAnswer)) throw error;
      throw new CallError(name, `received invalid webhook response: ${error.message}`, UNFITTING);
    }
  }

  /** The body of an answer with a status of 2xx. */
  async #post(
    webhook: Webhook,
    { context }: AdmissionRequest,
    body: string,
    traceparent: string | undefined,
  ): Promise<Buffer> {
    const { name } = webhook;
    const target = this.#target(webhook);
    const timeoutMs = Math.min(webhook.timeoutMs, context.deadlineAt - performance.now());
    const query = `?timeout=${Math.max(1, Math.ceil(timeoutMs / 1000))}s`;
    const fail = (error: Error): never => {
      const where = JSON.stringify(shownUrl(target) + query);
      throw new CallError(name, `failed to call webhook: Post ${where}: ${whyFailed(error, target.hostPort)}`);
    };
    const credentials = this.#credentials(target.hostPort);
    const answer = await (async () => {
      const { host, port } = target.address();
      const authorization = await authorizationOf(credentials);
      return this.#poster.post({
        host,
        port,
        path: target.url.pathname + query,
        serverName: target.serverName,
        ca: webhook.ca,
        cert: credentials?.clientCertificate,
        key: credentials?.clientKey,
        headers: {
          Accept: 'application/json, */*',
          'Content-Type': 'application/json',
          'User-Agent': this.#userAgent,
          Host: target.serverName === undefined ? target.url.host : target.hostPort,
          ...(authorization !== undefined && { Authorization: authorization }),
          ...(traceparent !== undefined && { traceparent }),
        },
        body,
        timeoutMs,
        signal: context.signal,
      });
    })().catch(fail);
    if (answer.status < 200 || answer.status > 206) {
      throw new CallError(name, `failed to call webhook: ${httpFailure(answer.status, answer.body)}`, answer.status);
    }
    return answer.body;
  }

  #target({ name, client }: Webhook): Target {
    const { service } = client;
    try {
      if (service !== undefined) {
        const { namespace, name: serviceName, port = 443, path = '/' } = service;
        const serverName = `${serviceName}.${namespace}.svc`;
        return {
          url: webhookUrl(path, `https://${serverName}`),
          hostPort: `${serverName}:${port}`,
          address: () => this.#services.addressOf({ namespace, name: serviceName, port }),
          serverName,
        };
      }
      const url = webhookUrl(client.url ?? '');
      const port = url.port === '' ? 443 : Number(url.port);
      const host = url.hostname.replace(/^\[|\]$/g, '');
      return { url, hostPort: `${url.hostname}:${port}`, address: () => ({ host, port }), serverName: undefined };
    } catch {
      throw new CallError(name, `could not get REST client: ${JSON.stringify(client.url ?? '')} is not a URL`);
    }
  }
}

/** The address in the form that operators write: a service has its port. */
function shownUrl({ url, hostPort, serverName }: Target): string {
  return serverName === undefined ? url.origin + url.pathname : `https://${hostPort}${url.pathname}`;
}
