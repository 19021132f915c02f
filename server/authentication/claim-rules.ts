import type { JsonObject } from '#base/json/json-value.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { OidcSettings } from '../config/authentication-options.ts';
import { CredentialError } from './authenticator.ts';
import { listClaim, own, textClaim } from './token-claims.ts';

/** The checks of the claims of an issuer's tokens, and the mapping of claims to a user. */
export interface ClaimRules {
  /** @throws CredentialError if a claim is invalid */
  check(claims: JsonObject): void;
  /** @throws CredentialError if the claims do not name a user */
  user(claims: JsonObject): UserInfo;
}

/**
 * The rules of the flags `--oidc-*`.
 *
 * @param credentialKey the key for the token's name in the user's extra values; undefined if users do not have it
 */
export function flagRules(settings: OidcSettings, credentialKey?: string): ClaimRules {
  return {
    check: (claims) => requireClaims(claims, settings.requiredClaims ?? {}),
    user: (claims) => readUser(claims, settings, credentialKey),
  };
}

/**
 * Refuses claims if one of the required claims is missing or has another value.
 * @throws CredentialError
 */
export function requireClaims(claims: JsonObject, required: Readonly<Record<string, string>>): void {
  for (const [name, wanted] of Object.entries(required)) {
    if (own(claims, name) === undefined) throw new CredentialError(`oidc: required claim ${name} not present`);
    if (own(claims, name) !== wanted) throw new CredentialError(`oidc: required claim ${name} has another value`);
  }
}

/**
 * The user's name from a claim. An email address does not count if the issuer marks it as unverified.
 * @throws CredentialError
 */
export function claimedName(claims: JsonObject, claim: string): string {
  const name = textClaim(claims, claim);
  if (name === '') throw new CredentialError(`oidc: the token has no user name in claim ${claim}`);
  if (claim === 'email') {
    const verified = own(claims, 'email_verified');
    if (verified !== undefined && verified !== true) throw new CredentialError('oidc: email not verified');
  }
  return name;
}

/**
 * The groups of a claim; none if it is missing.
 * @throws CredentialError if it is not a list of texts
 */
export function claimedGroups(claims: JsonObject, claim: string): readonly string[] {
  const groups = listClaim(claims, claim);
  if (groups === undefined && own(claims, claim) !== undefined)
    throw new CredentialError(`oidc: claim ${claim} is not a list of groups`);
  return groups ?? [];
}

/** The name that the issuer gave a token, as an extra value of the user. None if there is no key or no name. */
export function claimedId(claims: JsonObject, credentialKey: string | undefined): Record<string, readonly string[]> {
  const id = own(claims, 'jti');
  return credentialKey === undefined || typeof id !== 'string' || id === '' ? {} : { [credentialKey]: [`JTI=${id}`] };
}

function readUser(claims: JsonObject, settings: OidcSettings, credentialKey: string | undefined): UserInfo {
  const { issuerUrl, usernameClaim = 'sub', usernamePrefix, groupsClaim, groupsPrefix = '' } = settings;
  const name = claimedName(claims, usernameClaim);
  const prefix = usernamePrefix === '-' ? '' : usernamePrefix || defaultPrefix(issuerUrl, usernameClaim);
  const groups = groupsClaim ? claimedGroups(claims, groupsClaim) : [];
  return {
    name: prefix + name,
    uid: '',
    groups: groups.map((group) => groupsPrefix + group),
    extra: claimedId(claims, credentialKey),
  };
}

function defaultPrefix(issuer: string, claim: string): string {
  return claim === 'email' ? '' : `${issuer}#`;
}
