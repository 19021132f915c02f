import { compareText } from '#base/collections/sort-short.ts';
import { invalidValue } from '#base/errors/field-error.ts';
import { badRequest, invalid, type StatusError, unsupportedMediaType } from '#base/errors/status-error.ts';
import { jsonReason, unrecognizedBody } from '#base/errors/unrecognized-body.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import { parseJsonInSteps } from '#base/json/parse.ts';
import { quoteText } from '#base/json/quote-text.ts';
import type { Repeats } from '#base/json/repeats.ts';
import { stringify } from '#base/json/stringify.ts';
import type { Naming } from '#base/naming/naming.ts';
import { turnIfDue } from '#base/time/fair-turn.ts';
import type { Steps } from '#base/time/steps.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import type { DecodeOptions } from '#schema/objects/decode.ts';
import { mergeRepeats } from '#schema/objects/merge-repeats.ts';
import { groupOf, shortGroupOf, versionOf } from '#schema/values/api-version.ts';
import { parseYamlInSteps, strictYamlError } from '#schema/yaml/parse.ts';
import { isPromise } from '../api/maybe-promise.ts';
import { mediaType } from '../api/negotiation.ts';
import type { ObjectModel } from '../api/object-model.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { FieldValidation } from '../api/write-options.ts';
import { decodeMessage } from '../codecs/protobuf/decode.ts';
import { isEnvelope, MAGIC, unwrap } from '../codecs/protobuf/envelope.ts';
import type { Registry } from '../resources/registry.ts';
import { checkAmount, checkText } from './amount-of-values.ts';
import { inTurn } from './in-turn.ts';
import { isLarge } from './is-large.ts';

/** The required kind and version of the body. */
export interface Expected {
  readonly kind: string;
  /** The expected version, in the form of apiVersion. */
  readonly apiVersion: string;
  readonly model: ObjectModel;
  /** Whether the kind is the same in every group version that a client may send (DeleteOptions). */
  readonly anyVersion?: boolean;
  /** Versions in which the kind is the same. */
  readonly otherVersions?: readonly string[];
  /** Fills unset fields of a body, beyond what the model does. */
  defaults?(object: ApiObject): void;
}

/**
 * The order in which the server reports unknown fields of a patched object: in the order of field names, or in the
 * order of the error texts.
 */
export type UnknownOrder = 'by-field' | 'by-text';

/** A body before it is read as an object of a kind. */
export interface RawBody {
  readonly value: JsonValue;
  /** Complaints about keys given twice. */
  readonly duplicates: readonly string[];
  /** The places in JSON where keys are given twice. The fields of such objects merge. */
  readonly repeats?: Repeats;
  /** The order in which unknown fields are reported. By default it is their order in the value. */
  readonly order?: UnknownOrder;
  /** Present if the body was merged from applied configurations: its nulls are intended. */
  readonly applied?: true;
  /** Present if the body was YAML: refusals join its complaints. */
  readonly yaml?: true;
}

/** How many unknown and duplicate fields are reported at most. */
const MAX_COMPLAINTS = 100;

function notAccepted(registry: Registry, protobuf: boolean): StatusError {
  const types = ['application/json', 'application/yaml', ...(protobuf ? [registry.naming.protobufMediaType] : [])];
  return unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${types.join(', ')}`,
  );
}

/**
 * Parses a JSON or YAML text.
 *
 * @throws 400 in the words of a body of `kind`, and 413 for one of too many values
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

/** The type of Go value that a text is, for the message clients know. */
export function jsonTypeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'number';
}

function notAnObject(value: JsonValue): string {
  return `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
}

function refuseKind(
  registry: Registry,
  context: RequestContext,
  kind: string,
  apiVersion: string,
  expected: Expected,
): StatusError {
  const cannot = `${kind} in version ${JSON.stringify(versionOf(apiVersion))} cannot be handled as a ${expected.kind}`;
  const known = isKnown(registry, context, kind, apiVersion);
  if (
    kind === expected.kind &&
    apiVersion !== expected.apiVersion &&
    (known || olderVersion(registry, apiVersion, expected))
  ) {
    return otherVersion(apiVersion, expected);
  }
  if (known) return badRequest(`${cannot}: ${unknownConversion(registry.naming, kind, apiVersion, expected)}`);
  return badRequest(`${cannot}: ${notRegistered(kind, apiVersion)}`);
}

/** Whether a version has a kind of this name. */
export function isKnown(registry: Registry, context: RequestContext, kind: string, apiVersion: string): boolean {
  const short = shortGroupOf(registry.naming, apiVersion);
  if (short === '' && kind === 'List') return true;
  if (registry.schema.kind(short, versionOf(apiVersion), kind) !== undefined) return true;
  return (context.resources ?? registry.current()).ofKind(apiVersion, kind).length > 0;
}

/** The message that a version has no such kind. */
export function notRegistered(kind: string, apiVersion: string): string {
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
}

/**
 * The message that an object of one kind cannot be converted to another kind. It names the expected kind by the first
 * part of its group.
 */
export function unknownConversion(naming: Naming, kind: string, apiVersion: string, expected: Expected): string {
  const [part = ''] = shortGroupOf(naming, expected.apiVersion).split('.');
  return `converting (${versionOf(apiVersion)}.${kind}) to (${part || 'core'}.${expected.kind}): unknown conversion`;
}

/** The refusal of an object whose kind or version differs from the custom resource's. */
function otherKind(value: JsonObject, kind: string, apiVersion: string, expected: Expected): StatusError {
  return kind === expected.kind ? otherVersion(apiVersion, expected) : mistaken(value, { kind, apiVersion }, expected);
}

function otherVersion(apiVersion: string, expected: Expected): StatusError {
  return badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`,
  );
}

/** The answer 422 about the kind or version that an object claims to have. */
export function mistaken(
  value: JsonObject,
  said: { readonly kind: string; readonly apiVersion: string },
  expected: Expected,
): StatusError {
  const { kind, apiVersion } = said;
  const errors = [
    ...(kind === expected.kind ? [] : [invalidValue('kind', kind, `must be ${expected.kind}`)]),
    ...(apiVersion === expected.apiVersion
      ? []
      : [invalidValue('apiVersion', apiVersion, `must be ${expected.apiVersion}`)]),
  ];
  const name = isObject(value.metadata) ? value.metadata.name : undefined;
  return invalid({ group: groupOf(apiVersion), kind }, typeof name === 'string' ? name : '', errors);
}

/** Whether an apiVersion looks like an earlier one of the expected group. */
function olderVersion(registry: Registry, apiVersion: string, expected: Expected): boolean {
  const [group, version] = apiVersion.split('/');
  if (version === undefined || !version.includes('beta')) return false;
  return expected.apiVersion.startsWith(`${group}/`) || registry.naming.shortGroup(group!) !== undefined;
}

/**
 * Adds Warning headers for complaints, or refuses the body that has them, as `fieldValidation` asks.
 *
 * @param refusal makes the error for a body that is refused: 400 by default
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
 * Reads a parsed value as an object of the expected kind. A missing kind or apiVersion is taken as expected. `seen`
 * gets what the object does not show of the value; its `unknown` gets fields that the kind does not know where
 * `validation` is `Ignore`.
 *
 * @param refusal the error for complaints under `Strict`: 400 by default
 * @throws 400 on what does not fit, and `refusal`
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
  // if the content of repeated keys has no message type, the last one counts
  const repeats = message === undefined ? undefined : raw.repeats;
  const together = raw.yaml === true && validation === 'Strict' && duplicates.length > 0;
  // the merge of repeated keys parses them by their kind, and so also reports unknown fields
  const complaints = together ? [strictYamlError(duplicates)] : repeats === undefined ? [...duplicates] : [];
  const merged =
    message === undefined || repeats === undefined
      ? value
      : mergeRepeats(message, value, repeats, (complaint) => complaints.push(complaint));
  const unknown: string[] = [];
  const tells = validation !== 'Ignore' && repeats === undefined;
  const object = expected.model.decode(merged, {
    inRequest: true,
    ...seen,
    ...(tells ? { unknown: (path) => unknown.push(`unknown field ${quoteText(path)}`) } : {}),
    ...(order === 'by-field' ? { sorted: true } : {}),
    ...(raw.applied ? { keepNulls: true } : {}),
  });
  if (order === 'by-text') unknown.sort(compareText);
  complain([...complaints, ...unknown], validation, expected, context, refusal);
  object['kind'] = expected.kind;
  object['apiVersion'] = expected.apiVersion;
  return asObject(object);
}

/** The kind and version in an object. A field whose name differs only in capitals counts, although it is unknown. */
function typeMetaText(value: JsonObject, expected: Expected, field: 'kind' | 'apiVersion'): string {
  const lower = field.toLowerCase();
  const name = Object.hasOwn(value, field) ? field : Object.keys(value).find((key) => key.toLowerCase() === lower);
  const text = (name === undefined ? undefined : value[name]) ?? '';
  if (typeof text === 'string') return text;
  throw unrecognizedBody(expected.kind, notText(text, field), stringify(value));
}

/** Says that a kind or an apiVersion is something else than a text. */
export function notText(value: JsonValue, field: 'kind' | 'apiVersion'): string {
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(value)} into Go struct field .${field} of type string`;
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

/** The error of an apiVersion's form; undefined if it is valid. */
export function groupVersionProblem(apiVersion: string): string | undefined {
  return apiVersion.split('/').length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}

/** How many characters of a body an error quotes. */
const QUOTED = 1000;

/** Checks that an object of a custom resource names its kind and version. */
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
 * @throws 413 and 415, 400 if the body cannot be parsed or does not fit the schema, and for unknown or duplicate fields
 * with `Strict`
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

/** Fills the unset fields of an object, and records it for the audit in the version of its body (`said`). */
function completed(
  context: RequestContext,
  expected: Expected,
  object: ApiObject,
  said: string | undefined,
): ApiObject {
  expected.model.defaults(object);
  expected.defaults?.(object);
  const recorded = said === undefined ? object : { ...object, apiVersion: said };
  context.audit?.request(asJson(recorded));
  return object;
}

/** The version of a body, if it is not the expected one. */
function statedVersion(value: JsonValue, expected: Expected): string | undefined {
  if (expected.otherVersions === undefined || !isObject(value)) return undefined;
  return typeMetaText(value, expected, 'apiVersion') || undefined;
}
