import { ConfigError } from '#base/errors/config-error.ts';
import { text } from '#program/flags/flag-readers.ts';
import type { AuthorizationMode } from './authorization-options.ts';
import { type FeatureGates, needGate } from './feature-gates.ts';
import type { Flags } from './parse-flags.ts';
import type { ServingOptions } from './serving-options.ts';

/** The flags of authentication. Files are read when the server starts. */
export interface AuthenticationSettings {
  /** Whether requests without credentials are accepted. */
  readonly anonymous: boolean;
  /** An empty value means the issuers of service account tokens. */
  readonly audiences: readonly string[];
  readonly clientCaFile?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly bootstrapTokens: boolean;
  readonly serviceAccounts: ServiceAccountSettings;
  readonly frontProxy?: FrontProxySettings | undefined;
  /** The file of issuers. */
  readonly configurationFile?: string | undefined;
  readonly oidc?: OidcSettings | undefined;
  readonly webhook?: TokenWebhookSettings | undefined;
}

/** The flags `--oidc-*`. An absent one has the default of the flag. */
export interface OidcSettings {
  readonly issuerUrl: string;
  readonly clientId: string;
  readonly usernameClaim?: string | undefined;
  /** The prefix of user names. '-' means none. By default it is the issuer and `#`, except for the claim `email`. */
  readonly usernamePrefix?: string | undefined;
  readonly groupsClaim?: string | undefined;
  readonly groupsPrefix?: string | undefined;
  readonly requiredClaims?: Readonly<Record<string, string>>;
  readonly signingAlgorithms?: readonly string[];
  /** The PEM file of the authorities of the issuer's web certificate. By default they are those of the host. */
  readonly caFile?: string | undefined;
}

export interface ServiceAccountSettings {
  /** The issuers. The first one signs. If the list is empty, tokens are neither issued nor accepted. */
  readonly issuers: readonly string[];
  readonly keyFiles: readonly string[];
  /** The server's own key. It verifies tokens if `keyFiles` is empty, in addition to the signing key. */
  readonly tlsKeyFile?: string | undefined;
  readonly signingKeyFile?: string | undefined;
  readonly lookup: boolean;
  /** The longest lifetime in seconds; 0 means any. */
  readonly maxExpirationSeconds: number;
  readonly extendExpiration: boolean;
  /** The published URL of the keys. By default it is under `serverUrl`. */
  readonly keysUrl?: string | undefined;
  /** The address of this server for other programs: `https://host:port`. */
  readonly serverUrl: string;
}

export interface FrontProxySettings {
  readonly caFile: string;
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

export interface TokenWebhookSettings {
  readonly configFile: string;
  readonly version: 'v1' | 'v1beta1';
  /** The time in milliseconds. */
  readonly cacheMs: number;
}

/** Limits for a configured lifetime of tokens. */
const HOUR_SECONDS = 3600;
const MAX_SECONDS = 2 ** 32;

/**
 * The flags of authentication.
 * @throws ConfigError
 */
export function readAuthentication(
  flags: Flags,
  serving: ServingOptions,
  modes: readonly AuthorizationMode[],
  gates: FeatureGates,
): AuthenticationSettings {
  // In a mode in which every user has all rights, a client must at least be authenticated.
  const allowsAll = modes.length === 1 && modes[0] === 'AlwaysAllow';
  return {
    anonymous: flags.get('anonymous-auth') && !allowsAll,
    audiences: flags.get('api-audiences'),
    clientCaFile: text(flags.get('client-ca-file')),
    tokenFile: text(flags.get('token-auth-file')),
    bootstrapTokens: flags.get('enable-bootstrap-token-auth'),
    serviceAccounts: readServiceAccounts(flags, serving),
    frontProxy: readFrontProxy(flags),
    configurationFile: readConfigurationFile(flags, gates),
    oidc: readOidc(flags),
    webhook: readTokenWebhook(flags),
  };
}

/** The flags that a file of issuers replaces. */
const OIDC_FLAGS = ['oidc-issuer-url', 'oidc-client-id'] as const;

function readConfigurationFile(flags: Flags, gates: FeatureGates): string | undefined {
  const file = text(flags.get('authentication-config'));
  if (file === undefined) return undefined;
  needGate(gates, 'StructuredAuthenticationConfiguration', 'authentication-config');
  const other = OIDC_FLAGS.find((name) => flags.isSet(name));
  if (other !== undefined)
    throw new ConfigError(`flag --${other} cannot stand beside --authentication-config: put the issuer into the file`);
  return file;
}

function readServiceAccounts(flags: Flags, serving: ServingOptions): ServiceAccountSettings {
  const issuers = flags.get('service-account-issuer');
  const keyFiles = flags.get('service-account-key-file');
  const signingKeyFile = text(flags.get('service-account-signing-key-file'));
  for (const issuer of issuers)
    if (issuer === '' || (issuer.includes(':') && !URL.canParse(issuer)))
      throw new ConfigError(`invalid value for flag --service-account-issuer: ${JSON.stringify(issuer)} is not a URL`);
  if (new Set(issuers).size !== issuers.length)
    throw new ConfigError('flag --service-account-issuer names an issuer twice');
  if (signingKeyFile !== undefined && issuers.length === 0)
    throw new ConfigError('flag --service-account-signing-key-file needs --service-account-issuer as well');
  const maxExpirationSeconds = Math.floor(flags.get('service-account-max-token-expiration') / 1000);
  if (maxExpirationSeconds !== 0 && (maxExpirationSeconds < HOUR_SECONDS || maxExpirationSeconds > MAX_SECONDS))
    throw new ConfigError('flag --service-account-max-token-expiration must be between 1h and 2^32s');
  const keysUrl = text(flags.get('service-account-jwks-uri'));
  if (keysUrl !== undefined && !(URL.canParse(keysUrl) && new URL(keysUrl).protocol === 'https:'))
    throw new ConfigError(
      `invalid value for flag --service-account-jwks-uri: ${JSON.stringify(keysUrl)} is no https URL`,
    );
  return {
    issuers,
    keyFiles,
    tlsKeyFile: serving.keyFile,
    signingKeyFile,
    lookup: flags.get('service-account-lookup'),
    maxExpirationSeconds,
    extendExpiration: flags.get('service-account-extend-token-expiration'),
    keysUrl,
    serverUrl: `https://${serving.externalAddress}`,
  };
}

function readFrontProxy(flags: Flags): FrontProxySettings | undefined {
  const caFile = text(flags.get('requestheader-client-ca-file'));
  const usernameHeaders = flags.get('requestheader-username-headers');
  if (caFile === undefined) {
    if (usernameHeaders.length > 0)
      throw new ConfigError(
        'flag --requestheader-username-headers needs --requestheader-client-ca-file to know whom to believe',
      );
    return undefined;
  }
  if (usernameHeaders.length === 0)
    throw new ConfigError(
      'flag --requestheader-client-ca-file needs --requestheader-username-headers to know where the user is named',
    );
  return {
    caFile,
    allowedNames: flags.get('requestheader-allowed-names'),
    usernameHeaders,
    groupHeaders: flags.get('requestheader-group-headers'),
    extraHeaderPrefixes: flags.get('requestheader-extra-headers-prefix'),
  };
}

function readOidc(flags: Flags): AuthenticationSettings['oidc'] {
  const issuerUrl = flags.get('oidc-issuer-url');
  const clientId = flags.get('oidc-client-id');
  if (issuerUrl === '' && clientId === '') return undefined;
  if (issuerUrl === '' || clientId === '')
    throw new ConfigError('flags --oidc-issuer-url and --oidc-client-id belong together: give both or none');
  return {
    issuerUrl,
    clientId,
    usernameClaim: text(flags.get('oidc-username-claim')),
    usernamePrefix: text(flags.get('oidc-username-prefix')),
    groupsClaim: text(flags.get('oidc-groups-claim')),
    groupsPrefix: text(flags.get('oidc-groups-prefix')),
    requiredClaims: Object.fromEntries(flags.get('oidc-required-claim')),
    signingAlgorithms: flags.get('oidc-signing-algs'),
    caFile: text(flags.get('oidc-ca-file')),
  };
}

function readTokenWebhook(flags: Flags): TokenWebhookSettings | undefined {
  const configFile = text(flags.get('authentication-token-webhook-config-file'));
  const version = flags.get('authentication-token-webhook-version');
  if (version !== 'v1' && version !== 'v1beta1')
    throw new ConfigError('flag --authentication-token-webhook-version must be v1 or v1beta1');
  if (configFile === undefined) return undefined;
  return { configFile, version, cacheMs: flags.get('authentication-token-webhook-cache-ttl') };
}
