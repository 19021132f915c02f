import { type StatusDetails, StatusError } from '#base/errors/status-error.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Schema } from '#schema/descriptors/types.ts';
import { decodeObject } from '#schema/objects/decode.ts';
import { versionOf } from '#schema/values/api-version.ts';
import { WebhookDenial } from './call-error.ts';
import type { ReviewVersion } from './webhook.ts';

/** The decision of a webhook. */
export interface ReviewAnswer {
  readonly allowed: boolean;
  readonly status: JsonObject | undefined;
  /** The text of a JSON patch; '' if the answer has no patch. */
  readonly patch: string;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** The error about an answer that is not an AdmissionReview. */
export class UnreadableAnswer extends Error {}
/** The error about an AdmissionReview that does not answer the request. */
export class UnfittingAnswer extends Error {}

interface Response {
  readonly uid?: string;
  readonly allowed?: boolean;
  readonly status?: JsonObject;
  readonly patch?: string | null;
  readonly patchType?: string;
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Record<string, string>;
}

function parse(body: Buffer): JsonObject {
  let value: JsonValue;
  try {
    value = JSON.parse(body.toString()) as JsonValue;
  } catch (error) {
    throw new UnreadableAnswer(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
  if (value === null) return {};
  if (isObject(value)) return value;
  const what = Array.isArray(value) ? 'array' : typeof value;
  throw new UnreadableAnswer(`couldn't get version/kind; json parse error: an object is expected, not ${what}`);
}

/**
 * The kind and version of a review. A missing one counts as the expected one. A later check decides whether the rest is
 * valid.
 */
function checkKind(review: JsonObject, version: ReviewVersion, naming: Naming): void {
  const expected = naming.apiVersion('admission', version);
  const { kind, apiVersion } = {
    kind: review['kind'] || 'AdmissionReview',
    apiVersion: review['apiVersion'] || expected,
  };
  const versions = [naming.apiVersion('admission', 'v1'), naming.apiVersion('admission', 'v1beta1')];
  if (kind !== 'AdmissionReview' || !versions.includes(String(apiVersion))) {
    throw new UnreadableAnswer(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
    );
  }
  if (apiVersion !== expected) {
    const got = versionOf(String(apiVersion));
    throw new UnreadableAnswer(
      `converting (${got}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`,
    );
  }
}

/** Checks the patch by the requirements of v1. */
function checkPatch({ allowed, patch, patchType }: Response, mutating: boolean): void {
  const patched = (patch ?? '') !== '';
  if (!mutating) {
    if (patched) throw new UnfittingAnswer('validating webhook may not return response.patch');
    if (patchType !== undefined) throw new UnfittingAnswer('validating webhook may not return response.patchType');
    return;
  }
  if (patched && patchType === undefined) {
    throw new UnfittingAnswer('webhook returned response.patch but not response.patchType');
  }
  if (!patched && patchType !== undefined) {
    throw new UnfittingAnswer('webhook returned response.patchType but not response.patch');
  }
  // The patch in a refusal is ignored.
  if (patchType === '' || (allowed === true && patched && patchType !== 'JSONPatch')) {
    throw new UnfittingAnswer(`webhook returned invalid response.patchType of ${JSON.stringify(patchType)}`);
  }
}

/** Checks the requirements of v1 for the parts of an answer besides its response. v1beta1 does not have them. */
function checkStrictly(review: JsonObject, response: Response, uid: string, mutating: boolean, naming: Naming): void {
  if ((response.uid ?? '') !== uid) {
    throw new UnfittingAnswer(
      `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`,
    );
  }
  const kind = review['kind'] || '';
  const apiVersion = review['apiVersion'] || '/';
  const expected = naming.apiVersion('admission', 'v1');
  if (kind !== 'AdmissionReview' || apiVersion !== expected) {
    const wanted = `${expected}, Kind=AdmissionReview`;
    throw new UnfittingAnswer(`expected webhook response of ${wanted}, got ${apiVersion}, Kind=${kind}`);
  }
  checkPatch(response, mutating);
}

/**
 * Reads the answer to the review `uid`. In v1beta1 neither the uid nor the type of a patch matters. Patches of
 * validating webhooks are dropped.
 * @throws UnreadableAnswer and {@link UnfittingAnswer}
 */
export function readAnswer(
  schema: Schema,
  naming: Naming,
  body: Buffer,
  asked: { readonly uid: string; readonly version: ReviewVersion; readonly mutating: boolean },
): ReviewAnswer {
  const review = parse(body);
  checkKind(review, asked.version, naming);
  let response: Response | null | undefined;
  try {
    const decoded = decodeObject(schema.message(`admission.${asked.version}.AdmissionReview`), {
      response: review['response'] ?? null,
    });
    response = decoded['response'] as Response | null | undefined;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw new UnreadableAnswer(error.message);
  }
  if (response === undefined || response === null) throw new UnfittingAnswer('webhook response was absent');
  const { allowed = false, status, warnings, auditAnnotations } = response;
  if (asked.version === 'v1') checkStrictly(review, response, asked.uid, asked.mutating, naming);
  return {
    allowed,
    status,
    patch: asked.mutating ? Buffer.from(response.patch ?? '', 'base64').toString() : '',
    warnings: warnings ?? [],
    auditAnnotations: auditAnnotations ?? {},
  };
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The refusal for the client. It has the webhook's message and an error code. */
export function denialOf(webhook: string, status: JsonObject | undefined): WebhookDenial {
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const reason = text(status?.['reason']);
  const why = text(status?.['message']) || reason;
  const given = Number(status?.['code'] ?? 0);
  // A code in an answer has at most three digits.
  const code = given < 400 ? 400 : given > 999 ? 500 : given;
  const details = status?.['details'];
  return new WebhookDenial(
    code,
    reason,
    why === '' ? `${by} without explanation` : `${by}: ${why}`,
    isObject(details) ? (details as StatusDetails) : undefined,
  );
}
