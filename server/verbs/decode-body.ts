import { compareText } from '#base/collections/sort-short.ts';
import { badRequest, type StatusError, unsupportedMediaType } from '#base/errors/status-error.ts';
import { jsonReason, unrecognizedBody } from '#base/errors/unrecognized-body.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import { parseJsonInSteps } from '#base/json/parse.ts';
import { quoteText } from '#base/json/quote-text.ts';
import type { Repeats } from '#base/json/repeats.ts';
import { stringify } from '#base/json/stringify.ts';
import { turnIfDue } from '#base/time/fair-turn.ts';
import type { Steps } from '#base/time/steps.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import type { DecodeOptions } from '#schema/objects/decode.ts';
import { mergeRepeats } from '#schema/objects/merge-repeats.ts';
import { versionOf } from '#schema/values/api-version.ts';
import { parseYamlInSteps, strictYamlError } from '#schema/yaml/parse.ts';
import { isPromise } from '../api/maybe-promise.ts';
import { mediaType } from '../api/negotiation.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { FieldValidation } from '../api/write-options.ts';
import { decodeMessage } from '../codecs/protobuf/decode.ts';
import { isEnvelope, MAGIC, unwrap } from '../codecs/protobuf/envelope.ts';
import type { Registry } from '../resources/registry.ts';
import { checkAmount, checkText } from './amount-of-values.ts';
import type { Expected } from './expected.ts';
import { inTurn } from './in-turn.ts';
import { isLarge } from './is-large.ts';
import { groupVersionProblem, notAnObject, notText, otherKind, otherVersion, refuseKind } from './kind-errors.ts';

/**
 * The order in which the server reports unknown fields of a patched object: in the order of field names, or in the
 * order of the error texts.
 */
export type UnknownOrder = 'by-field' | 'by-text';

/** A body before it is read as an object of a kind. */
export interface RawBody {
  readonly value: JsonValue;
  /** Complaints about keys that occur twice in an object. */
  readonly duplicates: readonly string[];
  /** The places in JSON at which a key occurs twice. If both values are objects, their fields are merged. */
  readonly repeats?: Repeats;
  /** The order in which the server reports unknown fields. By default it is their order in the value. */
  readonly order?: UnknownOrder;
  /** Present if the body was merged from applied configurations. The server then keeps nulls in the body. */
  readonly applied?: true;
  /** Present if the body was YAML. An error then reports all repeated keys in one text. */
  readonly yaml?: true;
}

/** The largest number of unknown and duplicate fields that the server reports. */
const MAX_COMPLAINTS = 100;

/** The largest number of characters of collected paths. One long name may be in the paths of all other fields. */
const LONGEST_COMPLAINTS = 1 << 20;

function notAccepted(registry: Registry, protobuf: boolean): StatusError {
  const types = ['application/json', 'application/yaml', ...(protobuf ? [registry.naming.protobufMediaType] : [])];
  return unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${types.join(', ')}`,
  );
}

/**
 * Parses a JSON or YAML text.
 *
 * @throws StatusError: 400 about a body of the given kind that cannot be parsed, and 413 for a body with too many
 * values
 */
function* parseText(format: 'json' | 'yaml', body: Buffer, kind: string): Steps<RawBody> {
  try {
    if (format === 'yaml') {
      const parsed = yield* parseYamlInSteps(body);
      yield;
      checkAmount(parsed.value, body.length);
      return { ...parsed, yaml: true };
    }
    const unsure = checkText(body);
    const parsed = yield* parseJsonInSteps(body);
    if (unsure) checkAmount(parsed.value, body.length);
    return parsed;
  } catch (error) {
    if (!(error instanceof MalformedBodyError)) throw error;
    throw unrecognizedBody(kind, format === 'json' ? jsonReason(error.message) : error.message, body);
  }
}

/**
 * Adds Warning headers for complaints, or refuses the body. The parameter `fieldValidation` of the request decides.
 *
 * @param refusal makes the error that refuses the body; by default it is 400
 */
export function complain(
  complaints: readonly string[],
  validation: FieldValidation,
  expected: Expected,
  context: RequestContext,
  refusal?: (detail: string) => StatusError,
): void {
  if (complaints.length === 0 || validation === 'Ignore') return;
  if (validation === 'Warn') {
    for (const complaint of complaints.slice(0, MAX_COMPLAINTS)) context.warnings.add(complaint);
    return;
  }
  const detail = `strict decoding error: ${complaints.slice(0, MAX_COMPLAINTS).join(', ')}`;
  if (refusal !== undefined) throw refusal(detail);
  const version = versionOf(expected.apiVersion);
  throw badRequest(
    `${expected.kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}: ${detail}`,
  );
}

/** The form of a group and version, in any naming profile. */
const ANY_VERSION = /^[^/]+(\/[^/]+)?$/;

function fits(kind: string, apiVersion: string, expected: Expected): boolean {
  if (kind !== expected.kind) return false;
  return (
    apiVersion === expected.apiVersion ||
    (expected.anyVersion === true && ANY_VERSION.test(apiVersion)) ||
    expected.otherVersions?.includes(apiVersion) === true
  );
}

/**
 * Reads a parsed value as an object of the expected kind. If the value has no kind or no apiVersion, the expected one
 * is used.
 *
 * @param seen callbacks for parts of the value that the object does not have; `unknown` is called for an unknown field
 * only if `validation` is `Ignore`
 * @param refusal makes the error for complaints if `validation` is `Strict`; by default it is 400
 * @throws 400 for a value of another kind or a value that does not fit the schema, and the error of `refusal`
 */
export function decodeValue(
  registry: Registry,
  raw: RawBody,
  expected: Expected,
  validation: FieldValidation,
  context: RequestContext,
  seen: Pick<DecodeOptions, 'lost' | 'unknown'> = {},
  refusal?: (detail: string) => StatusError,
): ApiObject {
  const value = raw.value ?? {};
  if (!isObject(value)) {
    throw unrecognizedBody(expected.kind, jsonReason(notAnObject(value)), stringify(value));
  }
  const kind = typeMetaText(value, expected, 'kind') || expected.kind;
  const apiVersion = typeMetaText(value, expected, 'apiVersion') || expected.apiVersion;
  if (!fits(kind, apiVersion, expected)) {
    if (expected.model.message === undefined) throw otherKind(value, kind, apiVersion, expected);
    throw refuseKind(registry, context, kind, apiVersion, expected);
  }
  const { duplicates, order } = raw;
  const { message } = expected.model;
  // In an object of a custom resource, the last one of repeated keys counts.
  const repeats = message === undefined ? undefined : raw.repeats;
  const together = raw.yaml === true && validation === 'Strict' && duplicates.length > 0;
  // The merge of repeated keys reads their values by the schema, so it also reports unknown fields.
  const complaints = together ? [strictYamlError(duplicates)] : repeats === undefined ? [...duplicates] : [];
  const merged =
    message === undefined || repeats === undefined
      ? value
      : mergeRepeats(message, value, repeats, (complaint) => complaints.push(complaint));
  const unknown: string[] = [];
  let room = LONGEST_COMPLAINTS;
  const tell = (path: string): void => {
    if (room > 0) unknown.push(`unknown field ${quoteText(path)}`);
    room -= path.length;
  };
  const tells = validation !== 'Ignore' && repeats === undefined;
  const object = expected.model.decode(merged, {
    inRequest: true,
    ...seen,
    ...(tells ? { unknown: tell } : {}),
    ...(order === 'by-field' ? { sorted: true } : {}),
    ...(raw.applied ? { keepNulls: true } : {}),
  });
  if (order === 'by-text') unknown.sort(compareText);
  complain([...complaints, ...unknown], validation, expected, context, refusal);
  object['kind'] = expected.kind;
  object['apiVersion'] = expected.apiVersion;
  return asObject(object);
}

/** The kind or the apiVersion of an object. The name of the field may have other upper-case letters. */
function typeMetaText(value: JsonObject, expected: Expected, field: 'kind' | 'apiVersion'): string {
  const lower = field.toLowerCase();
  const name = Object.hasOwn(value, field) ? field : Object.keys(value).find((key) => key.toLowerCase() === lower);
  const text = (name === undefined ? undefined : value[name]) ?? '';
  if (typeof text === 'string') return text;
  throw unrecognizedBody(expected.kind, notText(text, field), stringify(value));
}

function decodeProtobuf(
  registry: Registry,
  context: RequestContext,
  body: Buffer,
  expected: Expected,
  message: MessageType,
): ApiObject {
  if (body.length === MAGIC.length && isEnvelope(body)) throw unrecognizedBody(expected.kind, 'empty body', body);
  const envelope = unwrap(body);
  const kind = envelope.kind || expected.kind;
  const apiVersion = envelope.apiVersion || expected.apiVersion;
  if (!fits(kind, apiVersion, expected)) {
    throw refuseKind(registry, context, kind, apiVersion, expected);
  }
  const object = decodeMessage(message, envelope.raw);
  object['kind'] = expected.kind;
  object['apiVersion'] = expected.apiVersion;
  return asObject(object);
}

function* protobufObject(
  registry: Registry,
  context: RequestContext,
  body: Buffer,
  expected: Expected,
  message: MessageType,
): Steps<ApiObject> {
  const object = decodeProtobuf(registry, context, body, expected, message);
  yield;
  checkAmount(asJson(object), body.length);
  return object;
}

/** The largest number of characters of a body in an error. */
const QUOTED = 1000;

/** Checks that an object of a custom resource has its kind and version. */
function checkNamed(value: JsonValue, body: Buffer, expected: Expected): void {
  if (value !== null && !isObject(value)) return;
  const object = value ?? {};
  const apiVersion = typeMetaText(object, expected, 'apiVersion');
  const problem = groupVersionProblem(apiVersion);
  if (problem !== undefined) throw unrecognizedBody(expected.kind, problem, body);
  if (typeMetaText(object, expected, 'kind') === '') {
    const text = body.subarray(0, QUOTED).toString();
    throw unrecognizedBody(expected.kind, `Object 'Kind' is missing in '${text}'`, body);
  }
  if (apiVersion !== expected.apiVersion) throw otherVersion(apiVersion, expected);
}

/**
 * Reads the request's body as an object of a kind, and fills its unset fields.
 *
 * @throws 415 for an unknown media type, 413 for a body that is too large, and 400 for a body that cannot be parsed,
 *   does not fit the schema, or has unknown or duplicate fields while `validation` is `Strict`
 */
export async function decodeBody(
  registry: Registry,
  context: RequestContext,
  expected: Expected,
  validation: FieldValidation,
): Promise<ApiObject> {
  const type = mediaType(context.header('content-type'));
  const json = type === '' || type === 'application/json';
  const yaml = type === 'application/yaml';
  const { message } = expected.model;
  const protobuf = message !== undefined && type === registry.naming.protobufMediaType;
  if (!json && !yaml && !protobuf) throw notAccepted(registry, message !== undefined);
  const body = await context.readBody();
  if (protobuf) {
    const decoding = inTurn(context, protobufObject(registry, context, body, expected, message));
    const object = isPromise(decoding) ? await decoding : decoding;
    if (isLarge(context)) await turnIfDue();
    return completed(context, expected, object, undefined);
  }
  const parsing = inTurn(context, parseText(json ? 'json' : 'yaml', body, expected.kind));
  const raw = isPromise(parsing) ? await parsing : parsing;
  if (message === undefined) checkNamed(raw.value, body, expected);
  if (isLarge(context)) await turnIfDue();
  const object = decodeValue(registry, raw, expected, validation, context);
  if (isLarge(context)) await turnIfDue();
  return completed(context, expected, object, statedVersion(raw.value, expected));
}

/**
 * Sets the unset fields of an object, and records the object for the audit.
 *
 * @param named the apiVersion in the body, if the record must contain it
 */
function completed(
  context: RequestContext,
  expected: Expected,
  object: ApiObject,
  named: string | undefined,
): ApiObject {
  expected.model.defaults(object);
  expected.defaults?.(object);
  const recorded = named === undefined ? object : { ...object, apiVersion: named };
  context.audit?.request(asJson(recorded));
  return object;
}

/** The apiVersion in a body; undefined if the kind has only one version or the body names none. */
function statedVersion(value: JsonValue, expected: Expected): string | undefined {
  if (expected.otherVersions === undefined || !isObject(value)) return undefined;
  return typeMetaText(value, expected, 'apiVersion') || undefined;
}
