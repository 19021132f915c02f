import { createHash } from 'node:crypto';
import { ExpiringCache } from '#base/collections/expiring-cache.ts';
import { isObject, type JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import { type ReviewClient, ReviewError } from '../outbound/review-client.ts';
import { commonAudiences } from './audiences.ts';
import { type Authenticated, CredentialError, type TokenAuthenticator } from './authenticator.ts';
import { listClaim, objectClaim, own, textClaim } from './token-claims.ts';

export interface TokenWebhookOptions {
  readonly client: ReviewClient;
  readonly version: 'v1' | 'v1beta1';
  /** How long an answer is remembered, in milliseconds. With 0 the webhook is called each time. */
  readonly cacheMs: number;
  /** This server's audiences, for reviewers that do not support audiences. */
  readonly audiences: readonly string[];
  readonly naming: Naming;
  readonly now?: () => number;
}

const REMEMBERED = 8192;

/** Authenticates tokens through a remote server. Failures are not remembered. */
export function tokenWebhookAuthenticator(options: TokenWebhookOptions): TokenAuthenticator {
  const { client, version, cacheMs, naming } = options;
  const answers = new ExpiringCache<{ found: Authenticated | undefined }>(REMEMBERED, options.now);
  const asking = new Map<string, Promise<JsonObject>>();
  const ask = (key: string, token: string, wanted: readonly string[]): Promise<JsonObject> => {
    const running = asking.get(key);
    if (running !== undefined) return running;
    const answer = client({
      apiVersion: naming.apiVersion('authentication', version),
      kind: 'TokenReview',
      metadata: { creationTimestamp: null },
      spec: { token, ...(wanted.length > 0 && { audiences: [...wanted] }) },
    }).finally(() => asking.delete(key));
    asking.set(key, answer);
    return answer;
  };
  return async (token, wanted) => {
    const key = digest(token, wanted);
    const known = answers.get(key);
    if (known !== undefined) return known.found;
    const status = await ask(key, token, wanted).catch((error: unknown) => {
      throw error instanceof ReviewError ? new CredentialError(`token review: ${error.message}`) : error;
    });
    const found = readAnswer(status, wanted, options.audiences);
    answers.set(key, { found }, cacheMs);
    return found;
  };
}

function readAnswer(
  status: JsonObject,
  wanted: readonly string[],
  ownAudiences: readonly string[],
): Authenticated | undefined {
  const error = textClaim(status, 'error');
  if (own(status, 'authenticated') !== true) {
    if (error !== '') throw new CredentialError(error);
    return undefined;
  }
  const user = objectClaim(status, 'user');
  const name = textClaim(user, 'username');
  if (user === undefined || name === '') throw new CredentialError('token review: the answer names no user');
  const named = listClaim(status, 'audiences') ?? [];
  const audiences = commonAudiences(wanted, named.length > 0 ? named : ownAudiences);
  if (wanted.length > 0 && audiences.length === 0) return undefined;
  const groups = listClaim(user, 'groups') ?? [];
  return { user: { name, uid: textClaim(user, 'uid'), groups, extra: readExtra(user) }, audiences };
}

function readExtra(user: JsonObject): Record<string, readonly string[]> {
  const extra = own(user, 'extra');
  if (!isObject(extra)) return {};
  return Object.fromEntries(Object.keys(extra).map((key) => [key, listClaim(extra, key) ?? []]));
}

/** The digest by which an answer is remembered. So no token is kept. */
function digest(token: string, audiences: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([token, audiences]))
    .digest('base64');
}
