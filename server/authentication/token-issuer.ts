import { randomUUID } from 'node:crypto';
import { CompactSign } from 'jose';
import { type FieldError, invalidValue } from '#base/errors/field-error.ts';
import { badRequest, conflict, invalid, notFound } from '#base/errors/status-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { SigningKey } from '#base/x509/token-keys.ts';
import type { BoundObjectReference, TokenRequest } from '#schema/generated/authentication.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { formatTime } from '#schema/values/time.ts';
import { serviceAccountUser } from '../api/service-account-name.ts';
import type { ObjectReader } from '../resources/object-reader.ts';
import type { LaterClaims } from './bound-claims.ts';

/** The settings for issuing tokens of service accounts. Times are in seconds. */
export interface TokenIssuerOptions {
  readonly issuer: string;
  readonly key: SigningKey;
  /** The default audiences of tokens. */
  readonly audiences: readonly string[];
  /** The longest lifetime of a token; 0 means any lifetime. */
  readonly maxExpirationSeconds: number;
  /** Whether a token lives for a year if its client is an old one that reads it only once. */
  readonly extendExpiration: boolean;
  readonly reader: ObjectReader;
  readonly naming: Naming;
  readonly claims?: LaterClaims;
  readonly now?: () => number;
}

const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
/** The duration that admission requests in the volumes that it adds to pods. */
const VOLUME_SECONDS = 3607;
const YEAR_SECONDS = 365 * 24 * 3600;

/**
 * Signs a token for a service account. The objects to which it is bound are looked up in a state as new as the request.
 */
export type IssueToken = (
  account: ApiObject,
  request: TokenRequest,
  warn: (text: string) => void,
) => Promise<TokenRequest>;

/** Fills the fields that a request leaves unset. */
export function defaultTokenRequest(request: TokenRequest): void {
  request.spec = { ...request.spec, expirationSeconds: askedSeconds(request) };
}

function askedSeconds(request: TokenRequest): number {
  return request.spec?.expirationSeconds ?? DEFAULT_SECONDS;
}

/** Makes the function that answers the `token` subresource of service accounts. It throws StatusErrors. */
export function tokenIssuer(options: TokenIssuerOptions): IssueToken {
  const { key, naming, now = Date.now } = options;
  return async (account, request, warn) => {
    const { name = '', namespace = '', uid = '' } = account.metadata;
    const audiences = request.spec?.audiences?.length ? request.spec.audiences : [...options.audiences];
    const bound = request.spec?.boundObjectRef ?? null;
    const seconds = limit(validSeconds(request, naming), options.maxExpirationSeconds, warn);
    const own: JsonObject = { namespace, serviceaccount: { name, uid } };
    if (bound !== null) {
      const object = await boundObject(options, account, bound);
      own[object.kind] = { name: object.name, uid: object.uid };
      if (object.node !== undefined) own['node'] = object.node;
    }
    const issued = Math.floor(now() / 1000);
    let expires = issued + seconds;
    if (isVolumeToken(options, bound, audiences, seconds)) {
      own['warnafter'] = expires;
      expires = issued + YEAR_SECONDS;
    }
    const claims: JsonObject = {
      aud: audiences,
      exp: expires,
      iat: issued,
      iss: options.issuer,
      ...(options.claims?.id === true && { jti: randomUUID() }),
      [naming.domain()]: own,
      nbf: issued,
      sub: serviceAccountUser(namespace, name),
    };
    const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: key.algorithm, kid: key.id })
      .sign(key.privateKey);
    return {
      apiVersion: naming.apiVersion('authentication', 'v1'),
      kind: 'TokenRequest',
      metadata: { ...request.metadata, name, namespace, creationTimestamp: formatTime(issued * 1000) },
      spec: { audiences, expirationSeconds: seconds, boundObjectRef: bound },
      status: { token, expirationTimestamp: formatTime((issued + seconds) * 1000) },
    };
  };
}

function validSeconds(request: TokenRequest, naming: Naming): number {
  const seconds = Number(askedSeconds(request));
  const errors: FieldError[] = [];
  const refuse = (detail: string) => errors.push(invalidValue('spec.expirationSeconds', seconds, detail));
  if (seconds < MIN_SECONDS) refuse('may not specify a duration less than 10 minutes');
  if (seconds > MAX_SECONDS) refuse('may not specify a duration larger than 2^32 seconds');
  if (errors.length > 0) throw invalid({ group: naming.group('authentication'), kind: 'TokenRequest' }, '', errors);
  return seconds;
}

function limit(seconds: number, max: number, warn: (text: string) => void): number {
  if (max <= 0 || seconds <= max) return seconds;
  warn(`requested expiration of ${seconds} seconds shortened to ${max} seconds`);
  return max;
}

/**
 * Whether a request is for the token of a pod's volume. A client that reads such a token only once would lose access
 * after an hour.
 */
function isVolumeToken(
  { extendExpiration, audiences }: TokenIssuerOptions,
  bound: BoundObjectReference | null,
  wanted: readonly string[],
  seconds: number,
): boolean {
  const own = wanted.every((audience) => audiences.includes(audience));
  return extendExpiration && bound?.kind === 'Pod' && seconds === VOLUME_SECONDS && own;
}

interface PodLike extends ApiObject {
  spec?: { serviceAccountName?: string; nodeName?: string };
}

const BOUND: ReadonlyMap<string, readonly [resource: string, claim: string]> = new Map([
  ['Pod', ['pods', 'pod']],
  ['Secret', ['secrets', 'secret']],
  ['Node', ['nodes', 'node']],
]);

/** The node claim of a token for a pod. If the node does not exist, the claim has only its name. */
function nodeClaim(reader: ObjectReader, name: string | undefined): JsonObject | undefined {
  if (name === undefined || name === '') return undefined;
  const uid = reader.get('', 'nodes', '', name)?.metadata.uid;
  return { name, ...(uid !== undefined && { uid }) };
}

async function boundObject(
  { reader, claims }: TokenIssuerOptions,
  account: ApiObject,
  bound: BoundObjectReference,
): Promise<{ kind: string; name: string; uid: string; node: JsonObject | undefined }> {
  const { apiVersion = '', kind = '', name = '', uid = '' } = bound;
  // Every version of the core group counts as the only existing one.
  const known = BOUND.get(kind);
  if (apiVersion.includes('/') || known === undefined || (kind === 'Node' && claims?.boundToNode !== true))
    throw badRequest(`cannot bind token to object of type ${shownKind(apiVersion, kind)}`);
  if (name === '') throw badRequest('Name parameter required.');
  const [resource, claim] = known;
  const namespace = kind === 'Node' ? '' : (account.metadata.namespace ?? '');
  const find = () => reader.get<PodLike>('', resource, namespace, name);
  const fits = (object: PodLike | undefined) => object !== undefined && (uid === '' || object.metadata.uid === uid);
  let object = find();
  if (!fits(object) || reader.freshness() === 'stale') {
    await reader.confirm();
    object = find();
  }
  if (object === undefined) throw notFound({ group: '', resource }, name);
  if (!fits(object))
    throw conflict(
      { group: '', resource: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if (kind === 'Pod' && object.spec?.serviceAccountName !== account.metadata.name)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account.metadata.name)} to pod running with different serviceaccount name.`,
    );
  const nodeName = kind === 'Pod' && claims?.nodeOfPod === true ? object.spec?.nodeName : undefined;
  return { kind: claim, name, uid: object.metadata.uid ?? '', node: nodeClaim(reader, nodeName) };
}

function shownKind(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
