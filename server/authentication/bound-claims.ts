import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { serviceAccountGroups, serviceAccountUser } from '../api/service-account-name.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { ObjectReader } from '../resources/object-reader.ts';
import { CredentialError } from './authenticator.ts';
import { objectClaim, textClaim, timeClaim } from './token-claims.ts';

/**
 * The largest difference between clocks, and how long an object that is being deleted is still valid, in milliseconds.
 */
const LEEWAY_MS = 60_000;

const INVALIDATED = 'service account token has been invalidated';

/** Claims of tokens that a release has. */
export interface LaterClaims {
  /** Whether tokens have an id (`jti`). */
  readonly id: boolean;
  /** A token of a pod names the pod's node. */
  readonly nodeOfPod: boolean;
  /** Whether a token may end with a node. */
  readonly boundToNode: boolean;
}

interface BoundContext {
  readonly reader: ObjectReader;
  readonly naming: Naming;
  readonly claims?: LaterClaims | undefined;
  /** The time in milliseconds. */
  readonly now: number;
}

/**
 * The account of a token that was issued on request. The account, and the objects to which the token is bound, must
 * still exist with the same uids.
 * @throws CredentialError
 */
export function checkBoundClaims(claims: JsonObject, context: BoundContext): UserInfo {
  const { naming, now } = context;
  if (now - LEEWAY_MS > (timeClaim(claims, 'exp') ?? 0)) throw new CredentialError('service account token has expired');
  if (now + LEEWAY_MS < (timeClaim(claims, 'nbf') ?? 0))
    throw new CredentialError('service account token is not valid yet');
  const own = objectClaim(claims, naming.domain());
  const namespace = textClaim(own, 'namespace');
  const account = reference(own, 'serviceaccount');
  const found = lookUpAccount(context, namespace, account.name);
  if (found.metadata.uid !== account.uid)
    throw new CredentialError(
      `service account UID (${found.metadata.uid ?? ''}) does not match claim (${account.uid})`,
    );
  checkBound(context, namespace, 'secret', reference(own, 'secret'));
  const pod = reference(own, 'pod');
  checkBound(context, namespace, 'pod', pod);
  const node = reference(own, 'node');
  const ofPod = pod.name !== '';
  if (!ofPod && node.name !== '') {
    if (context.claims?.boundToNode !== true)
      throw new CredentialError('token is bound to a Node, which this server does not look at');
    checkBound(context, '', 'node', node);
  }
  const extra = new Map<string, string[]>();
  const tell = (key: string, value: string) => {
    if (value !== '') extra.set(naming.key(`authentication/${key}`), [value]);
  };
  if (ofPod) {
    tell('pod-name', pod.name);
    extra.set(naming.key('authentication/pod-uid'), [pod.uid]);
  }
  if (context.claims?.nodeOfPod === true || !ofPod) {
    tell('node-name', node.name);
    tell('node-uid', node.uid);
  }
  const id = context.claims?.id === true ? textClaim(claims, 'jti') : '';
  if (id !== '') tell('credential-id', `JTI=${id}`);
  return {
    name: serviceAccountUser(namespace, account.name),
    uid: account.uid,
    groups: serviceAccountGroups(namespace),
    extra: Object.fromEntries(extra),
  };
}

interface Reference {
  readonly name: string;
  readonly uid: string;
}

function reference(claims: JsonObject | undefined, kind: string): Reference {
  const found = objectClaim(claims, kind);
  return { name: textClaim(found, 'name'), uid: textClaim(found, 'uid') };
}

function lookUpAccount({ reader, now }: BoundContext, namespace: string, name: string): ApiObject {
  if (name === '' || namespace === '') throw new CredentialError('resource name may not be empty');
  const found = reader.get('', 'serviceaccounts', namespace, name);
  if (found === undefined) throw new CredentialError(`serviceaccounts ${JSON.stringify(name)} not found`);
  if (gone(found, now)) throw new CredentialError(INVALIDATED);
  return found;
}

function checkBound(context: BoundContext, namespace: string, kind: 'pod' | 'secret' | 'node', bound: Reference): void {
  if (bound.name === '' && bound.uid === '') return;
  const found = context.reader.get('', `${kind}s`, namespace, bound.name);
  if (found === undefined || gone(found, context.now)) throw new CredentialError(INVALIDATED);
  const uid = found.metadata.uid ?? '';
  if (uid !== bound.uid)
    throw new CredentialError(`${kind} UID (${uid}) does not match service account ${kind} ref claim (${bound.uid})`);
}

function gone({ metadata }: ApiObject, now: number): boolean {
  const { deletionTimestamp } = metadata;
  return !!deletionTimestamp && Date.parse(deletionTimestamp) < now - LEEWAY_MS;
}
