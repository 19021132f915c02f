import { badRequest } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { UserInfo as ShownUser, TokenReview } from '#schema/generated/authentication.v1.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { Authentication } from './union.ts';

/**
 * Answers a TokenReview.
 *
 * @throws StatusError (400) without a token
 */
export async function reviewToken(
  authentication: Authentication,
  review: TokenReview,
  naming: Naming,
): Promise<TokenReview> {
  const { token = '', audiences = [] } = review.spec ?? {};
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  // A token in a header has no blanks around it, and ends at the first blank.
  const verdict = await authentication.review(token.trim().split(' ', 1)[0] ?? '', audiences ?? []);
  return {
    apiVersion: review.apiVersion ?? naming.apiVersion('authentication', 'v1'),
    kind: 'TokenReview',
    metadata: { ...review.metadata, creationTimestamp: review.metadata?.creationTimestamp ?? null },
    spec: review.spec,
    status: verdict.authenticated
      ? {
          authenticated: true,
          user: shownUser(verdict.user),
          audiences: [...verdict.audiences],
        }
      : { user: {}, error: verdict.error },
  };
}

/** A user in the form of reviews. */
export function shownUser({ name, uid, groups, extra }: UserInfo): ShownUser {
  const entries = Object.entries(extra).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    username: name,
    ...(uid === '' ? {} : { uid }),
    groups: [...groups],
    ...(entries.length === 0 ? {} : { extra: Object.fromEntries(entries) }),
  };
}
