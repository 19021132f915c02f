import { compareText } from '#base/collections/sort-short.ts';
import { invalidValue, REDACTED } from '#base/errors/field-error.ts';
import { badRequest, invalid, type StatusError } from '#base/errors/status-error.ts';
import { goPrint } from '#base/json/go-print.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import { parseJsonInSteps } from '#base/json/parse.ts';
import { quoteText } from '#base/json/quote-text.ts';
import { stringify } from '#base/json/stringify.ts';
import type { Steps } from '#base/time/steps.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { DecodeError, type DecodeOptions } from '#schema/objects/decode.ts';
import { applyPatch, type PatchKind } from '#schema/patch/apply-patch.ts';
import { unknownOperationMembers } from '#schema/patch/json-patch.ts';
import { malformed } from '#schema/patch/patch-errors.ts';
import { shortGroupOf, versionOf } from '#schema/values/api-version.ts';
import { patchFormat } from '../api/patch-format.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { FieldValidation } from '../api/write-options.ts';
import { isRemoved } from '../config/removed-kinds.ts';
import type { Registry } from '../resources/registry.ts';
import { checkAmount, checkText } from './amount-of-values.ts';
import { complain, decodeValue } from './decode-body.ts';
import type { Expected } from './expected.ts';
import { inTurn } from './in-turn.ts';
import { groupVersionProblem, isKnown, mistaken, notRegistered, notText, unknownConversion } from './kind-errors.ts';
import { nameless } from './update.ts';

/** The patch of a request. It can be applied again to a newer object. */
export interface Patch {
  readonly kind: PatchKind;
  readonly value: JsonValue;
  /** The reason why the patch is not JSON. It is reported only if the object exists. */
  readonly problem: StatusError | undefined;
  /** Complaints about the patch itself. */
  readonly complaints: readonly string[];
  readonly validation: FieldValidation;
  readonly context: RequestContext;
  /** The object to patch. */
  readonly expected: Expected;
}

/**
 * Reads a request's patch.
 *
 * @throws StatusError: 415, and 413 for a patch with too many values
 */
export async function readPatch(
  context: RequestContext,
  expected: Expected,
  validation: FieldValidation,
): Promise<Patch> {
  const kind = patchFormat(context, expected.model);
  if (kind === 'apply') throw new Error('a configuration to apply is no patch');
  const body = await context.readBody();
  const { value, duplicates, problem } = await inTurn(context, parsePatch(kind, body));
  context.audit?.request(value);
  const complaints =
    kind === 'json'
      ? [...duplicates.map((text) => `json patch ${text}`), ...unknownOperationMembers(value)]
      : duplicates;
  return { kind, value, problem, complaints, validation, context, expected };
}

function* parsePatch(
  kind: PatchKind,
  body: Buffer,
): Steps<{ value: JsonValue; duplicates: readonly string[]; problem?: StatusError }> {
  try {
    const unsure = checkText(body);
    const { value, duplicates } = yield* parseJsonInSteps(body);
    if (unsure) checkAmount(value, body.length);
    return { value, duplicates };
  } catch (error) {
    if (!(error instanceof MalformedBodyError)) throw error;
    const problem = kind === 'strategic' ? badRequest(error.message) : malformed(error.message);
    return { value: null, duplicates: [], problem };
  }
}

/**
 * Applies a patch. `inVersion` finds the resource in another version. It is called only if the patch names another
 * version, and the result is then in that version.
 *
 * @throws StatusError: 400 for repeated and unknown fields under `Strict`, and 422 if the result is not an object of
 * the kind
 */
export function* patched(
  registry: Registry,
  patch: Patch,
  live: JsonObject,
  inVersion: (apiVersion: string) => Expected | undefined,
  lost?: DecodeOptions['lost'],
): Steps<ApiObject> {
  const { kind, value, problem, expected } = patch;
  if (problem !== undefined) throw problem;
  const document = applyPatch(kind, expected.model.message, live, value);
  yield;
  const strategic = kind === 'strategic';
  // A strategic merge patch is applied to the object itself, so it cannot change the kind.
  const merged = strategic ? asItself(document, expected) : document;
  const named = strategic ? expected : expectedBy(registry, patch, merged, inVersion);
  const shown = () => (strategic ? goPrint(value) : stringify(merged));
  // Later releases refuse the result of the patch, and not the body.
  const refusal = registry.schema.release.atLeast(26)
    ? (detail: string) => unfitting(named, shown(), detail)
    : undefined;
  try {
    const order = strategic ? 'by-text' : 'by-field';
    const raw = { value: merged, duplicates: patch.complaints, order } as const;
    return decodeValue(registry, raw, named, patch.validation, patch.context, lost && { lost }, refusal);
  } catch (error) {
    if (error instanceof DecodeError) throw unfitting(named, shown(), error.detail);
    throw error;
  }
}

/**
 * The error 422 about a patch whose result does not fit the kind. The error contains `shown`, unless the kind is
 * confidential.
 */
function unfitting({ model }: Expected, shown: string, detail: string): StatusError {
  const text = model.confidential ? REDACTED : shown;
  return invalid({ group: '', kind: '' }, '', [invalidValue('patch', text, detail)]);
}

/**
 * The kind or apiVersion in a patched document; empty if it has none.
 *
 * @throws StatusError (422) for other values
 */
function typeMeta(merged: JsonObject, expected: Expected, field: 'kind' | 'apiVersion'): string {
  const text = merged[field] ?? '';
  if (typeof text === 'string') return text;
  throw unfitting(expected, stringify(merged), notText(text, field));
}

/**
 * A patched document as an object of its kind.
 *
 * @throws StatusError (422) if its kind or version is not a text
 */
function asItself(document: JsonObject, expected: Expected): JsonObject {
  typeMeta(document, expected, 'kind');
  typeMeta(document, expected, 'apiVersion');
  return { ...document, kind: expected.kind, apiVersion: expected.apiVersion };
}

/**
 * The kind and version that the patched document must have. A removed version counts as the remaining one.
 *
 * @throws StatusError: 422 if the patch turns the object into another kind, and 400 if the result has no version,
 * because the server then understands no part of it, not even its name
 */
function expectedBy(
  registry: Registry,
  { context, expected, validation }: Patch,
  merged: JsonObject,
  inVersion: (apiVersion: string) => Expected | undefined,
): Expected {
  const said = typeMeta(merged, expected, 'kind');
  if (said === '' && expected.model.message === undefined) {
    const document = stringify(merged);
    throw unfitting(expected, document, `Object 'Kind' is missing in '${document}'`);
  }
  const kind = said || expected.kind;
  const apiVersion = typeMeta(merged, expected, 'apiVersion');
  if (apiVersion === '') {
    const unknown = Object.keys(merged).filter((field) => field !== 'kind' && field !== 'apiVersion');
    const complaints = unknown.sort(compareText).map((field) => `unknown field ${quoteText(field)}`);
    complain(complaints, validation, expected, context);
    throw badRequest(nameless(context.info.name));
  }
  if (kind === expected.kind && apiVersion === expected.apiVersion) return expected;
  const problem = expected.model.message === undefined ? groupVersionProblem(apiVersion) : undefined;
  if (problem !== undefined) throw unfitting(expected, stringify(merged), problem);
  if (expected.model.message === undefined) throw mistaken(merged, { kind, apiVersion }, expected);
  const group = shortGroupOf(registry.naming, apiVersion);
  if (kind === expected.kind && isRemoved(group, versionOf(apiVersion), kind)) {
    return { ...expected, otherVersions: [apiVersion] };
  }
  if (!isKnown(registry, context, kind, apiVersion))
    throw unfitting(expected, stringify(merged), notRegistered(kind, apiVersion));
  const other = inVersion(apiVersion);
  if (other?.kind === kind) return other;
  throw unfitting(expected, stringify(merged), unknownConversion(registry.naming, kind, apiVersion, expected));
}
