import { compactVerify } from 'jose';
import { ConfigError } from '#base/errors/config-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { OidcSettings } from '../config/authentication-options.ts';
import type { CountedCall } from '../outbound/call-metrics.ts';
import { httpsClient } from '../outbound/https-request.ts';
import { CredentialError, type TokenAuthenticator } from './authenticator.ts';
import { type ClaimRules, flagRules } from './claim-rules.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { listClaim, parseObject, textClaim, timeClaim, unverifiedClaims } from './token-claims.ts';

/** The settings of an issuer of tokens. Some are only for tests. */
export interface OidcOptions {
  readonly issuerUrl: string;
  /** The URL of the issuer's configuration; by default under its own address. */
  readonly discoveryUrl?: string | undefined;
  /** The audiences. A token must have one of them. */
  readonly audiences: readonly string[];
  readonly rules: ClaimRules;
  /** The allowed algorithms; by default RS256. */
  readonly signingAlgorithms?: readonly string[];
  /** The authorities (PEM) of the issuer's web certificate. By default they are those of the host. */
  readonly ca?: string | undefined;
  readonly now?: () => number;
  /** The shortest time between two fetches of keys, in milliseconds. */
  readonly cooldownMs?: number;
  readonly refreshMs?: number;
  readonly timeoutMs?: number;
  readonly counted?: CountedCall;
}

/** Algorithms with which an issuer signs with a private key. Algorithms with a shared key are not allowed. */
export const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'] as const;

/** The allowed difference of clocks for a token that is not valid yet, in milliseconds. */
const NOT_BEFORE_LEEWAY_MS = 5 * 60_000;

/** Authenticates tokens of one OpenID Connect issuer. Its keys are fetched when the first token arrives. */
export interface OidcAuthenticator {
  readonly authenticate: TokenAuthenticator;
  /** Fetches the keys before the first token. Rejects if that fails. */
  warm(): Promise<void>;
}

/** Authenticates the tokens of an issuer. */
export function oidcAuthenticator(options: OidcOptions): OidcAuthenticator {
  const { issuerUrl, discoveryUrl, rules, signingAlgorithms = ['RS256'], now = Date.now } = options;
  const keys = new IssuerKeys(issuerUrl, httpsClient({ ca: options.ca }, options.counted), {
    discoveryUrl,
    cooldownMs: options.cooldownMs ?? 10_000,
    refreshMs: options.refreshMs ?? 10 * 60_000,
    timeoutMs: options.timeoutMs ?? 10_000,
    now,
  });
  return {
    async authenticate(token) {
      if (textClaim(unverifiedClaims(token), 'iss') !== issuerUrl) return undefined;
      const claims = await compactVerify(token, keys.key, { algorithms: [...signingAlgorithms] }).then(
        ({ payload }) => parseObject(payload),
        (error: unknown) => {
          throw new CredentialError(`oidc: verify token: ${error instanceof Error ? error.message : 'failed'}`);
        },
      );
      if (claims === undefined) throw new CredentialError('oidc: the token holds no claims');
      checkClaims(claims, options, now());
      return { user: rules.user(claims) };
    },
    async warm() {
      await keys.fetch();
    },
  };
}

/**
 * The issuer that the flags `--oidc-*` name.
 * @param credentialKey the key for the token's name in the user's extra values; undefined if users do not have it
 * @throws ConfigError for invalid settings
 */
export function flagIssuer(
  settings: OidcSettings,
  credentialKey?: string,
): Pick<OidcOptions, 'issuerUrl' | 'audiences' | 'rules' | 'signingAlgorithms'> {
  const { issuerUrl, clientId, signingAlgorithms = ['RS256'] } = settings;
  if (!URL.canParse(issuerUrl) || new URL(issuerUrl).protocol !== 'https:')
    throw new ConfigError(`flag --oidc-issuer-url must be an https URL, not ${JSON.stringify(issuerUrl)}`);
  if (clientId === '') throw new ConfigError('flag --oidc-issuer-url needs --oidc-client-id as well');
  for (const name of signingAlgorithms)
    if (!algorithms.some((known) => known === name))
      throw new ConfigError(
        `flag --oidc-signing-algs cannot be ${JSON.stringify(name)}: choose from ${algorithms.join(', ')}`,
      );
  return { issuerUrl, audiences: [clientId], rules: flagRules(settings, credentialKey), signingAlgorithms };
}

function checkClaims(claims: JsonObject, options: OidcOptions, now: number): void {
  if (textClaim(claims, 'iss') !== options.issuerUrl) throw new CredentialError('oidc: the token is of another issuer');
  if (!listClaim(claims, 'aud')?.some((audience) => options.audiences.includes(audience)))
    throw new CredentialError('oidc: the token is not meant for this server');
  const expires = timeClaim(claims, 'exp');
  if (expires === undefined || expires <= now) throw new CredentialError('oidc: the token has expired');
  const from = timeClaim(claims, 'nbf');
  if (from !== undefined && from > now + NOT_BEFORE_LEEWAY_MS)
    throw new CredentialError('oidc: the token is not valid yet');
  options.rules.check(claims);
}
