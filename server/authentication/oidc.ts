import { compactVerify } from 'jose';
import { ConfigError } from '#base/errors/config-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { OidcSettings } from '../config/authentication-options.ts';
import type { CountedCall } from '../outbound/call-metrics.ts';
import { httpsClient } from '../outbound/https-request.ts';
import { CredentialError, type TokenAuthenticator } from './authenticator.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { listClaim, own, parseObject, textClaim, timeClaim, unverifiedClaims } from './token-claims.ts';

/** The settings, what their file holds, and what only tests change. */
export interface OidcOptions extends Omit<OidcSettings, 'caFile'> {
  /** PEM of the authorities of the issuer's web certificate; default: the host's. */
  readonly ca?: string | undefined;
  readonly now?: () => number;
  /** Least time between two fetches of keys, in milliseconds. */
  readonly cooldownMs?: number;
  readonly refreshMs?: number;
  readonly timeoutMs?: number;
  readonly counted?: CountedCall;
}

/** Algorithms by which an issuer proves itself with a public key; never a shared one. */
const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'] as const;

/** Clocks may differ by this much where a token is not valid yet, in milliseconds. */
const NOT_BEFORE_LEEWAY_MS = 5 * 60_000;

/** Tokens of one OpenID Connect issuer, which is asked for its keys when the first token comes. */
export interface OidcAuthenticator {
  readonly authenticate: TokenAuthenticator;
  /** Fetches the keys ahead of the first token; rejects when that fails. */
  warm(): Promise<void>;
}

/**
 * @throws ConfigError for options that cannot work
 */
export function oidcAuthenticator(options: OidcOptions): OidcAuthenticator {
  const { issuerUrl, now = Date.now } = options;
  const allowed = checkOptions(options);
  const keys = new IssuerKeys(issuerUrl, httpsClient({ ca: options.ca }, options.counted), {
    cooldownMs: options.cooldownMs ?? 10_000,
    refreshMs: options.refreshMs ?? 10 * 60_000,
    timeoutMs: options.timeoutMs ?? 10_000,
    now,
  });
  return {
    async authenticate(token) {
      if (textClaim(unverifiedClaims(token), 'iss') !== issuerUrl) return undefined;
      const claims = await compactVerify(token, keys.key, { algorithms: [...allowed] }).then(
        ({ payload }) => parseObject(payload),
        (error: unknown) => {
          throw new CredentialError(`oidc: verify token: ${error instanceof Error ? error.message : 'failed'}`);
        },
      );
      if (claims === undefined) throw new CredentialError('oidc: the token holds no claims');
      checkClaims(claims, options, now());
      return { user: readUser(claims, options) };
    },
    async warm() {
      await keys.fetch();
    },
  };
}

function checkOptions(options: OidcOptions): readonly string[] {
  const { issuerUrl, clientId, signingAlgorithms = ['RS256'] } = options;
  if (!URL.canParse(issuerUrl) || new URL(issuerUrl).protocol !== 'https:')
    throw new ConfigError(`flag --oidc-issuer-url must be an https URL, not ${JSON.stringify(issuerUrl)}`);
  if (clientId === '') throw new ConfigError('flag --oidc-issuer-url needs --oidc-client-id as well');
  for (const name of signingAlgorithms)
    if (!algorithms.some((known) => known === name))
      throw new ConfigError(
        `flag --oidc-signing-algs cannot be ${JSON.stringify(name)}: choose from ${algorithms.join(', ')}`,
      );
  return signingAlgorithms;
}

function checkClaims(claims: JsonObject, options: OidcOptions, now: number): void {
  if (textClaim(claims, 'iss') !== options.issuerUrl) throw new CredentialError('oidc: the token is of another issuer');
  if (!listClaim(claims, 'aud')?.includes(options.clientId))
    throw new CredentialError('oidc: the token is not meant for this server');
  const expires = timeClaim(claims, 'exp');
  if (expires === undefined || expires <= now) throw new CredentialError('oidc: the token has expired');
  const from = timeClaim(claims, 'nbf');
  if (from !== undefined && from > now + NOT_BEFORE_LEEWAY_MS)
    throw new CredentialError('oidc: the token is not valid yet');
  for (const [name, wanted] of Object.entries(options.requiredClaims ?? {})) {
    if (own(claims, name) === undefined) throw new CredentialError(`oidc: required claim ${name} not present`);
    if (own(claims, name) !== wanted) throw new CredentialError(`oidc: required claim ${name} has another value`);
  }
}

function readUser(claims: JsonObject, options: OidcOptions): UserInfo {
  const { issuerUrl, usernameClaim = 'sub', usernamePrefix, groupsClaim, groupsPrefix = '' } = options;
  const name = textClaim(claims, usernameClaim);
  if (name === '') throw new CredentialError(`oidc: the token has no user name in claim ${usernameClaim}`);
  if (usernameClaim === 'email') {
    const verified = own(claims, 'email_verified');
    if (verified !== undefined && verified !== true) throw new CredentialError('oidc: email not verified');
  }
  const groups = groupsClaim ? listClaim(claims, groupsClaim) : [];
  if (groupsClaim && groups === undefined && own(claims, groupsClaim) !== undefined)
    throw new CredentialError(`oidc: claim ${groupsClaim} is not a list of groups`);
  return {
    name:
      (usernamePrefix ? (usernamePrefix === '-' ? '' : usernamePrefix) : defaultPrefix(issuerUrl, usernameClaim)) +
      name,
    uid: '',
    groups: (groups ?? []).map((group) => groupsPrefix + group),
    extra: {},
  };
}

function defaultPrefix(issuer: string, claim: string): string {
  return claim === 'email' ? '' : `${issuer}#`;
}
