import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { table } from '../collections/own-properties.ts';
import { ConfigError } from '../errors/config-error.ts';
import { pemTexts } from './pem.ts';

/** A public key that checks the signatures of tokens. */
export interface TokenKey {
  /** The digest of the public key, which tokens name as their key ID. */
  readonly id: string;
  readonly algorithm: 'RS256' | 'ES256' | 'ES384' | 'ES512';
  readonly publicKey: KeyObject;
}

/** A key that signs tokens. */
export interface SigningKey extends TokenKey {
  readonly privateKey: KeyObject;
}

const curves: Readonly<Record<string, TokenKey['algorithm']>> = table({
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
});

/**
 * The public keys in PEM files. A file may contain several public keys, private keys and certificates. A key that
 * occurs several times appears once in the result.
 *
 * @throws ConfigError for a file that cannot be read or has no key
 */
export function readTokenKeys(files: readonly string[]): readonly TokenKey[] {
  const keys = new Map<string, TokenKey>();
  for (const file of files) {
    const found = pemTexts(readText(file)).filter(({ type }) => type !== 'EC PARAMETERS');
    if (found.length === 0) throw new ConfigError(`${file} holds no key in PEM form`);
    for (const { pem } of found) {
      const key = tokenKey(
        attempt(file, () => createPublicKey(pem)),
        file,
      );
      keys.set(key.id, key);
    }
  }
  return [...keys.values()];
}

/** The private key in a PEM file. @throws ConfigError if the file cannot be read or has no key */
export function readSigningKey(file: string): SigningKey {
  const privateKey = attempt(file, () => createPrivateKey(readText(file)));
  return { ...tokenKey(createPublicKey(privateKey), file), privateKey };
}

function tokenKey(publicKey: KeyObject, file: string): TokenKey {
  const algorithm =
    publicKey.asymmetricKeyType === 'rsa'
      ? ('RS256' as const)
      : curves[publicKey.asymmetricKeyDetails?.namedCurve ?? ''];
  if (algorithm === undefined) throw new ConfigError(`${file}: tokens are signed with RSA or ECDSA keys only`);
  const id = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  return { id, algorithm, publicKey };
}

function readText(file: string): string {
  return attempt(file, () => readFileSync(file, 'utf8'));
}

function attempt<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ConfigError(`cannot read a key from ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
