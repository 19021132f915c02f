import { readTokenKeys, type TokenKey } from '#base/x509/token-keys.ts';
import type { ServiceAccountSettings } from '../config/authentication-options.ts';

type Files = Pick<ServiceAccountSettings, 'issuers' | 'keyFiles' | 'tlsKeyFile' | 'signingKeyFile'>;

/**
 * The keys that verify tokens of service accounts. They come from the key files. Without key files they are the
 * server's TLS key and the key that signs tokens, so that the server accepts the tokens that it issues. Without an
 * issuer there are none.
 *
 * @throws ConfigError if a file contains no key that can sign tokens. A TLS key that cannot sign tokens is skipped if
 * there is another key.
 */
export function verifyingKeys({ issuers, keyFiles, tlsKeyFile, signingKeyFile }: Files): readonly TokenKey[] {
  if (issuers.length === 0) return [];
  if (keyFiles.length > 0) return readTokenKeys(keyFiles);
  const own = signingKeyFile === undefined ? [] : readTokenKeys([signingKeyFile]);
  if (tlsKeyFile === undefined) return own;
  try {
    return [...own, ...readTokenKeys([tlsKeyFile]).filter(({ id }) => own.every((key) => key.id !== id))];
  } catch (error) {
    if (own.length > 0) return own;
    throw error;
  }
}
