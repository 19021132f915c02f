import type { Authenticated, TokenAuthenticator } from './authenticator.ts';

/** The audiences of `wanted` that are also in `offered`, in the order of `wanted`. */
export function commonAudiences(wanted: readonly string[], offered: readonly string[]): string[] {
  const there = new Set(offered);
  return wanted.filter((audience) => there.has(audience));
}

/**
 * Authenticates tokens without an audience. They are meant for this server, so the request must ask for one of its
 * audiences.
 */
export function forAnyAudienceOf(own: readonly string[], authenticate: TokenAuthenticator): TokenAuthenticator {
  return async (token, wanted): Promise<Authenticated | undefined> => {
    const audiences = commonAudiences(wanted, own);
    if (audiences.length === 0 && wanted.length > 0) return undefined;
    const found = await authenticate(token, wanted);
    return found && { user: found.user, audiences };
  };
}

/** A list of texts in the form of error messages. */
export function shownAudiences(audiences: readonly string[]): string {
  return `[${audiences.map((audience) => JSON.stringify(audience)).join(' ')}]`;
}
