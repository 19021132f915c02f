import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { TokenKey } from '#base/x509/token-keys.ts';
import type { UserInfo } from '../api/user-info.ts';
import { ensureFresh, type ObjectReader } from '../resources/object-reader.ts';
import type { AccountTokenCounts } from './account-token-counts.ts';
import { commonAudiences, shownAudiences } from './audiences.ts';
import { type Authenticated, CredentialError, type TokenAuthenticator } from './authenticator.ts';
import { checkBoundClaims, type LaterClaims } from './bound-claims.ts';
import { checkLegacyClaims } from './legacy-claims.ts';
import { SignatureCheck } from './signature-check.ts';
import { listClaim, objectClaim, own, textClaim, timeClaim, unverifiedClaims } from './token-claims.ts';

/** How tokens of service accounts are verified. */
export interface ServiceAccountTokenOptions {
  /** All accepted issuers. */
  readonly issuers: readonly string[];
  readonly keys: readonly TokenKey[];
  /** The audiences of this server. A token that names no audience has these. */
  readonly audiences: readonly string[];
  /** Whether a token that is kept in a secret ends with its secret. If false, a valid signature is enough. */
  readonly lookup: boolean;
  readonly reader: ObjectReader;
  readonly naming: Naming;
  readonly claims?: LaterClaims;
  /** Counts each valid token. */
  readonly tokens?: AccountTokenCounts;
  readonly now?: () => number;
}

/** Matches the issuer of tokens in secrets. It names a product, and any product is accepted. */
const legacyIssuer = /^[a-z]+\/serviceaccount$/;

/**
 * Authenticates tokens of service accounts, both issued on request and kept in secrets. Account, pod and secret are
 * looked up at each request. If one of them seems to be deleted or changed, it is looked up again in a state as new as
 * the request.
 */
export function serviceAccountTokenAuthenticator(options: ServiceAccountTokenOptions): TokenAuthenticator {
  const { reader, naming, now = Date.now } = options;
  const signatures = new SignatureCheck(options.keys);
  const check = (claims: JsonObject, token: string, legacy: boolean) =>
    legacy
      ? checkLegacyClaims(claims, token, { reader, naming, lookup: options.lookup })
      : checkBoundClaims(claims, { reader, naming, claims: options.claims, now: now() });
  return async (token, wanted): Promise<Authenticated | undefined> => {
    const issuer = textClaim(unverifiedClaims(token), 'iss');
    const legacy = legacyIssuer.test(issuer);
    if (!legacy && !options.issuers.includes(issuer)) return undefined;
    const claims = await signatures.claims(token);
    if (claims === undefined) throw new CredentialError('the signature of the token is not by a key of this issuer');
    const audiences = matchAudiences(claims, wanted, options.audiences);
    await ensureFresh(reader);
    let user: UserInfo;
    try {
      user = check(claims, token, legacy);
    } catch (error) {
      if (!(error instanceof CredentialError)) throw error;
      await reader.confirm();
      user = check(claims, token, legacy);
    }
    const late = legacy ? 0 : secondsLate(claims, naming, now());
    options.tokens?.(legacy ? 'legacy' : late > 0 ? 'stale' : 'valid');
    const annotation = annotationOf(textClaim(claims, 'sub'), legacy, late, naming);
    return { user, audiences, ...(annotation && { annotation }) };
  };
}

/** How many seconds ago the token should have been replaced. 0 or less before that time. */
function secondsLate(claims: JsonObject, naming: Naming, now: number): number {
  const own = objectClaim(claims, naming.domain());
  const due = own === undefined ? undefined : timeClaim(own, 'warnafter');
  return due === undefined || due === 0 ? 0 : Math.floor(now / 1000) - Math.floor(due / 1000);
}

/** Audit annotations about such tokens. Operators check them before they turn the tokens off. */
function annotationOf(subject: string, legacy: boolean, late: number, naming: Naming): Authenticated['annotation'] {
  if (legacy) return [naming.key('authentication/legacy-token'), subject];
  if (late <= 0) return undefined;
  return [naming.key('authentication/stale-token'), `subject: ${subject}, seconds after warning threshold: ${late}`];
}

function matchAudiences(claims: JsonObject, wanted: readonly string[], ours: readonly string[]): readonly string[] {
  const named = own(claims, 'aud') == null ? [] : listClaim(claims, 'aud');
  if (named === undefined) throw new CredentialError('the audiences of the token are malformed');
  const meant = named.length > 0 ? named : ours;
  const target = wanted.length > 0 ? wanted : ours;
  const audiences = commonAudiences(target, meant);
  if (audiences.length === 0)
    throw new CredentialError(
      `token audiences ${shownAudiences(meant)} is invalid for the target audiences ${shownAudiences(target)}`,
    );
  return audiences;
}
