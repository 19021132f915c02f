import type { TokenKey } from '#base/x509/token-keys.ts';

/** A document about this server's tokens. Every client with the right to its path gets it. */
export interface IssuerDocument {
  readonly path: string;
  readonly contentType: string;
  readonly cacheControl: string;
  readonly body: Buffer;
}

/** The path of the keys. */
export const KEYS_PATH = '/openid/v1/jwks';

/**
 * The configuration and the keys with which other services verify tokens of service accounts. Undefined if the issuer
 * is not an https URL, because without TLS a service could not trust them.
 * @param keysUrl the address of the keys in the configuration
 */
export function issuerDocuments(
  issuer: string,
  keysUrl: string,
  keys: readonly TokenKey[],
): readonly IssuerDocument[] | undefined {
  if (!URL.canParse(issuer) || new URL(issuer).protocol !== 'https:' || keys.length === 0) return undefined;
  const cacheControl = 'public, max-age=3600';
  const document = (path: string, contentType: string, value: object): IssuerDocument => ({
    path,
    contentType,
    cacheControl,
    body: Buffer.from(JSON.stringify(value)),
  });
  return [
    document('/.well-known/openid-configuration', 'application/json', {
      issuer,
      jwks_uri: keysUrl,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [...new Set(keys.map(({ algorithm }) => algorithm))].sort(),
    }),
    document(KEYS_PATH, 'application/jwk-set+json', {
      keys: keys.map(({ id, algorithm, publicKey }) => ({
        use: 'sig',
        ...publicKey.export({ format: 'jwk' }),
        kid: id,
        alg: algorithm,
      })),
    }),
  ];
}
