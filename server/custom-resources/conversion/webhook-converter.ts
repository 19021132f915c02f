import { StatusError } from '#base/errors/status-error.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { bundleText, unreadableBundle } from '#base/x509/ca-bundle.ts';
import type { Histogram } from '#program/metrics/family.ts';
import { asStep } from '#program/tracing/request-stages.ts';
import { tracedPost } from '#program/tracing/traced-calls.ts';
import type { CustomResourceDefinition, WebhookConversion } from '#schema/generated/apiextensions.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { httpFailure } from '../../admission/webhooks/call-error.ts';
import type { Address, ClusterServices } from '../../outbound/cluster-services.ts';
import type { HttpsPoster } from '../../outbound/https-post.ts';
import { webhookUrl } from '../../outbound/webhook-url.ts';
import { whyFailed } from '../../outbound/why-failed.ts';
import { conversionQuestion, objectsOfAnswer } from './conversion-review.ts';
import { ConversionDefect, convertedObjects } from './converted-objects.ts';

/** How long a webhook may take, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** The inputs for calls of conversion webhooks. */
export interface ConverterContext {
  readonly naming: Naming;
  readonly poster: HttpsPoster;
  /** The durations of conversions, including failed ones. */
  readonly durations?: Histogram<'crd_name' | 'from_version' | 'succeeded' | 'to_version'>;
  readonly services: Pick<ClusterServices, 'addressOf'>;
  /** The time limit of calls. */
  readonly leaving: AbortSignal;
}

interface Target {
  readonly url: URL;
  readonly address: () => Address;
  readonly serverName: string | undefined;
}

/**
 * Converts objects, with `kind` and `apiVersion`, to another version by the current definition. A request may start
 * while the definition names a webhook, and finish after the definition no longer names it.
 */
export async function convertAsDefined(
  { metadata, spec: { conversion } }: Pick<CustomResourceDefinition, 'metadata' | 'spec'>,
  objects: readonly ApiObject[],
  to: string,
  context: ConverterContext,
): Promise<readonly ApiObject[]> {
  const { strategy, webhook } = conversion ?? {};
  if (strategy !== 'Webhook' || webhook === undefined) return objects.map((object) => ({ ...object, apiVersion: to }));
  const from = objects.find(({ apiVersion }) => apiVersion !== to)?.apiVersion;
  if (from === undefined) return objects;
  const started = performance.now();
  const took = (succeeded: boolean): void =>
    context.durations?.observe(
      {
        crd_name: metadata.name ?? '',
        from_version: versionOf(from),
        succeeded: String(succeeded),
        to_version: versionOf(to),
      },
      (performance.now() - started) / 1000,
    );
  try {
    const converted = await convertByWebhook(webhook, objects, to, context);
    took(true);
    return converted;
  } catch (error) {
    took(false);
    throw error;
  }
}

const versionOf = (apiVersion: string): string => apiVersion.slice(apiVersion.indexOf('/') + 1);

/**
 * Lets a webhook convert objects, with `kind` and `apiVersion`, to another version. Rejects with a StatusError (500)
 * that names the kind of the first object and the problem.
 */
async function convertByWebhook(
  { clientConfig, conversionReviewVersions }: WebhookConversion,
  objects: readonly ApiObject[],
  to: string,
  context: ConverterContext,
): Promise<readonly ApiObject[]> {
  const others = objects.filter(({ apiVersion }) => apiVersion !== to);
  const [first] = others;
  if (first === undefined) return objects;
  const fail = (why: string): StatusError =>
    new StatusError(500, '', `conversion webhook for ${first.apiVersion}, Kind=${first.kind} ${why}`);
  let converted: readonly ApiObject[];
  try {
    const question = conversionQuestion(context.naming, conversionReviewVersions ?? [], others, to);
    const target = targetOf(clientConfig, context);
    const ask = (traceparent: string | undefined) =>
      post(target, clientConfig?.caBundle, question.body, context, traceparent);
    const body = await asStep('conversion', target.url.host, ask, tracedPost);
    converted = convertedObjects(others, objectsOfAnswer(context.naming, question, body), to);
  } catch (error) {
    if (error instanceof ConversionDefect) throw fail(error.message);
    const why =
      error instanceof MalformedBodyError ? `the answer cannot be read: ${error.message}` : (error as Error).message;
    throw fail(`failed: ${why}`);
  }
  let next = 0;
  return objects.map((object) => (object.apiVersion === to ? object : converted[next++]!));
}

function targetOf(client: WebhookConversion['clientConfig'], { services }: ConverterContext): Target {
  if (client?.service !== undefined) {
    const { namespace, name, port = 443, path = '/' } = client.service;
    const serverName = `${name}.${namespace}.svc`;
    return {
      url: webhookUrl(path, `https://${serverName}:${port}`),
      address: () => services.addressOf({ namespace, name, port }),
      serverName,
    };
  }
  const url = webhookUrl(client?.url ?? '');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { url, address: () => ({ host, port: url.port === '' ? 443 : Number(url.port) }), serverName: undefined };
}

async function post(
  { url, address, serverName }: Target,
  caBundle: string | undefined,
  body: string,
  { naming, poster, leaving }: ConverterContext,
  traceparent: string | undefined,
): Promise<Buffer> {
  const query = `?timeout=${TIMEOUT_MS / 1000}s`;
  const authorities = bundleText(caBundle);
  const unreadable = authorities && unreadableBundle(authorities);
  if (unreadable) throw new Error(`unable to load root certificates: ${unreadable}`);
  const answer = await (async () => {
    const { host, port } = address();
    return poster.post({
      host,
      port,
      path: url.pathname + query,
      serverName,
      ca: authorities,
      cert: undefined,
      key: undefined,
      headers: {
        Accept: 'application/json, */*',
        'Content-Type': 'application/json',
        'User-Agent': naming.prefixed('apiserver'),
        Host: url.host,
        ...(traceparent !== undefined && { traceparent }),
      },
      body,
      timeoutMs: TIMEOUT_MS,
      signal: leaving,
    });
  })().catch((error: Error): never => {
    throw new Error(`Post ${JSON.stringify(url.origin + url.pathname + query)}: ${whyFailed(error, url.host)}`);
  });
  if (answer.status < 200 || answer.status > 206) throw new Error(httpFailure(answer.status, answer.body));
  return answer.body;
}
