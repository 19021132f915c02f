import { readFileSync } from 'node:fs';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import { readSigningKey } from '#base/x509/token-keys.ts';
import type { AuthenticationSettings } from '../config/authentication-options.ts';
import type { FeatureGates } from '../config/feature-gates.ts';
import type { CountedCall } from '../outbound/call-metrics.ts';
import { reviewClient } from '../outbound/review-client.ts';
import { readWebhookConnection, type Warn } from '../outbound/webhook-connection.ts';
import type { ObjectReader } from '../resources/object-reader.ts';
import type { AccountTokenCounts } from './account-token-counts.ts';
import { forAnyAudienceOf } from './audiences.ts';
import { AuthenticationConfiguration } from './authentication-configuration.ts';
import type { RequestAuthenticator, TokenAuthenticator } from './authenticator.ts';
import { bootstrapTokenAuthenticator } from './bootstrap-token.ts';
import { CaBundle } from './ca-bundle.ts';
import { clientCertificateAuthenticator } from './client-certificate.ts';
import type { CountReload } from './config-reloads.ts';
import { credentialKeyOf } from './credential-key.ts';
import { type IssuerDocument, issuerDocuments, KEYS_PATH } from './issuer-discovery.ts';
import { flagIssuer, oidcAuthenticator } from './oidc.ts';
import { requestHeaderAuthenticator } from './request-header.ts';
import { serviceAccountTokenAuthenticator } from './service-account-token.ts';
import { tokenFileAuthenticator } from './token-file.ts';
import { type IssueToken, tokenIssuer } from './token-issuer.ts';
import { tokenWebhookAuthenticator } from './token-webhook.ts';
import { type Authentication, authentication } from './union.ts';
import { verifyingKeys } from './verifying-keys.ts';

/** The parts of authentication that a server needs. */
export interface CreatedAuthentication extends Authentication {
  /** The PEM texts of the authorities for client certificates. They are loaded again when files change. */
  clientCa(): readonly string[];
  /** The default audiences of this server's tokens. */
  readonly audiences: readonly string[];
  /** Answers token requests; undefined if there is no signing key. */
  readonly issueToken: IssueToken | undefined;
  /** The documents about the issuer of this server's tokens; empty if nothing is published. */
  readonly issuerDocuments: readonly IssuerDocument[];
}

interface Environment {
  readonly reader: ObjectReader;
  readonly naming: Naming;
  readonly release: Release;
  readonly gates: FeatureGates;
  /** Counts calls of issuers and reviewers. */
  readonly counted?: CountedCall;
  /** Counts each valid token of a service account. */
  readonly tokens?: AccountTokenCounts;
  /** Returns the function that counts changes of the file of issuers. */
  readonly reloads?: (() => CountReload) | undefined;
  /** Called with errors that occur outside of requests. */
  readonly onError: (error: unknown) => void;
  /** Called with each unknown field of a connection file. */
  readonly warn: Warn;
}

/**
 * Reads keys, certificates and files, and puts the methods in their order.
 * @throws ConfigError
 */
export function createAuthentication(
  settings: AuthenticationSettings,
  environment: Environment,
): CreatedAuthentication {
  const { reader, naming, release, gates, onError } = environment;
  const { serviceAccounts, clientCaFile, frontProxy } = settings;
  const audiences = settings.audiences.length > 0 ? settings.audiences : serviceAccounts.issuers;
  const clients = clientCaFile === undefined ? undefined : new CaBundle(clientCaFile, onError);
  const proxies = frontProxy === undefined ? undefined : new CaBundle(frontProxy.caFile, onError);
  const request: RequestAuthenticator[] = [];
  if (frontProxy && proxies) request.push(requestHeaderAuthenticator({ ...frontProxy, authorities: proxies }));
  if (clients) request.push(clientCertificateAuthenticator(clients, credentialKeyOf(naming, release)));
  const keys = verifyingKeys(serviceAccounts);
  const configuration =
    settings.configurationFile === undefined
      ? undefined
      : new AuthenticationConfiguration(settings.configurationFile, {
          naming,
          release,
          ownIssuers: serviceAccounts.issuers,
          limitsAnonymous: gates.enabled('AnonymousAuthConfigurableEndpoints'),
          onError,
          reloads: environment.reloads,
          ...(environment.counted && { counted: environment.counted }),
        });
  const union = authentication({
    request,
    token: tokenMethods(settings, environment, audiences, keys, configuration),
    anonymous: (path) => configuration?.allowsAnonymous(path) ?? settings.anonymous,
    audiences,
    webSocketTokenPrefix: `${naming.domain('base64url.bearer.authorization')}.`,
  });
  const [issuer = ''] = serviceAccounts.issuers;
  const keysUrl = serviceAccounts.keysUrl || serviceAccounts.serverUrl + KEYS_PATH;
  return {
    ...union,
    audiences,
    clientCa: () => [...(clients?.pem ?? []), ...(proxies?.pem ?? [])],
    issueToken:
      serviceAccounts.signingKeyFile === undefined || issuer === ''
        ? undefined
        : tokenIssuer({
            ...serviceAccounts,
            issuer,
            key: readSigningKey(serviceAccounts.signingKeyFile),
            audiences,
            reader,
            naming,
            claims: {
              id: gates.enabled('ServiceAccountTokenJTI'),
              nodeOfPod: gates.enabled('ServiceAccountTokenPodNodeInfo'),
              boundToNode: gates.enabled('ServiceAccountTokenNodeBinding'),
            },
          }),
    issuerDocuments: issuerDocuments(issuer, keysUrl, keys) ?? [],
  };
}

function tokenMethods(
  settings: AuthenticationSettings,
  { reader, naming, release, gates, onError, warn, counted, tokens }: Environment,
  audiences: readonly string[],
  keys: ReturnType<typeof verifyingKeys>,
  configuration: AuthenticationConfiguration | undefined,
): TokenAuthenticator[] {
  const { tokenFile, serviceAccounts, bootstrapTokens, oidc, webhook } = settings;
  const ours = (method: TokenAuthenticator) => forAnyAudienceOf(audiences, method);
  const methods: TokenAuthenticator[] = [];
  if (tokenFile !== undefined) methods.push(ours(tokenFileAuthenticator(tokenFile)));
  if (keys.length > 0 && serviceAccounts.issuers.length > 0)
    methods.push(
      serviceAccountTokenAuthenticator({
        ...serviceAccounts,
        keys,
        audiences,
        reader,
        naming,
        claims: {
          id: gates.enabled('ServiceAccountTokenJTI'),
          nodeOfPod: gates.enabled('ServiceAccountTokenPodNodeInfo'),
          boundToNode: gates.enabled('ServiceAccountTokenNodeBindingValidation'),
        },
        ...(tokens && { tokens }),
      }),
    );
  if (bootstrapTokens) methods.push(ours(bootstrapTokenAuthenticator(reader, naming)));
  if (oidc !== undefined) {
    const ca = oidc.caFile === undefined ? undefined : readText(oidc.caFile);
    const named = flagIssuer(oidc, credentialKeyOf(naming, release));
    const issuer = oidcAuthenticator({ ...named, ca, ...(counted && { counted }) });
    issuer.warm().catch(onError);
    methods.push(ours(issuer.authenticate));
  }
  if (configuration !== undefined) methods.push(ours(configuration.authenticate));
  if (webhook !== undefined) {
    const client = reviewClient(readWebhookConnection(webhook.configFile, warn), counted && { counted });
    methods.push(tokenWebhookAuthenticator({ ...webhook, client, audiences, naming }));
  }
  return methods;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
