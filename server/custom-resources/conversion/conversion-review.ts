import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { parseJson } from '#base/json/parse.ts';
import { stringify } from '#base/json/stringify.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { REVIEW_VERSIONS } from '../definition/validate-conversion.ts';

/** The question to a webhook, and the facts that its answer must repeat. */
export interface ConversionQuestion {
  readonly uid: string;
  /** The review version: `v1` or `v1beta1`. */
  readonly version: string;
  readonly body: string;
}

const KIND = 'ConversionReview';

/**
 * The request to convert objects to another version. It has the first review version that both the webhook and this
 * server support.
 */
export function conversionQuestion(
  naming: Naming,
  versions: readonly string[],
  objects: readonly ApiObject[],
  to: string,
): ConversionQuestion {
  const version = versions.find((one) => REVIEW_VERSIONS.includes(one));
  if (version === undefined) throw new Error('the webhook reads no version of conversion reviews that is known here');
  const uid = randomUUID();
  const request = { uid, desiredAPIVersion: to, objects: objects as unknown as JsonValue };
  const review = { kind: KIND, apiVersion: naming.apiVersion('apiextensions', version), request };
  return { uid, version, body: stringify(review) };
}

/**
 * The objects of an answer, without checks.
 * @throws Error with the reason why the answer is invalid
 */
export function objectsOfAnswer(
  naming: Naming,
  { uid, version }: ConversionQuestion,
  body: Buffer,
): readonly JsonValue[] {
  const { value } = parseJson(body);
  if (!isObject(value)) throw new Error('the answer is no object');
  const expected = `${naming.apiVersion('apiextensions', version)}, Kind=${KIND}`;
  const [apiVersion, kind] = [textOf(value, 'apiVersion'), textOf(value, 'kind')];
  const found = `${apiVersion || '/'}, Kind=${kind}`;
  // An answer in the older version may leave out its kind, but it must not state another kind.
  const said =
    version === 'v1' ? found : `${apiVersion || naming.apiVersion('apiextensions', version)}, Kind=${kind || KIND}`;
  if (said !== expected) throw new Error(`expected webhook response of ${expected}, got ${found}`);
  const { response } = value;
  if (response === undefined || !isObject(response)) throw new Error('no response provided');
  if (version === 'v1' && textOf(response, 'uid') !== uid) {
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(textOf(response, 'uid'))}`);
  }
  const result = response['result'] !== undefined && isObject(response['result']) ? response['result'] : {};
  const status = textOf(result, 'status');
  if (status !== 'Success') {
    throw new Error(textOf(result, 'message') || `response.result.status was '${status}', not 'Success'`);
  }
  const { convertedObjects = [] } = response;
  return Array.isArray(convertedObjects) ? convertedObjects : [];
}

function textOf(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}
