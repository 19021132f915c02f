import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type PemBlock, pemBlocks } from '#base/x509/pem.ts';

function labels(blocks: readonly PemBlock[]): string {
  return `[${blocks.map(({ type }) => type).join(' ')}]`;
}

function isKey({ type }: PemBlock): boolean {
  return type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY');
}

function isCertificate({ type }: PemBlock): boolean {
  return type === 'CERTIFICATE';
}

function readKey({ der }: PemBlock): KeyObject | undefined {
  for (const type of ['pkcs8', 'pkcs1', 'sec1'] as const) {
    try {
      return createPrivateKey({ key: der, format: 'der', type });
    } catch {}
  }
  return undefined;
}

function certificateProblem(blocks: readonly PemBlock[]): string | undefined {
  if (blocks.some(isCertificate)) return undefined;
  if (blocks.length === 0) return 'failed to find any PEM data in certificate input';
  if (blocks.length === 1 && isKey(blocks[0]!))
    return 'failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  const skipped = 'after skipping PEM blocks of the following types';
  return `failed to find "CERTIFICATE" PEM block in certificate input ${skipped}: ${labels(blocks)}`;
}

function keyProblem(blocks: readonly PemBlock[]): string | undefined {
  if (blocks.some(isKey)) return undefined;
  if (blocks.length === 0) return 'failed to find any PEM data in key input';
  if (blocks.length === 1 && isCertificate(blocks[0]!))
    return 'found a certificate rather than a key in the PEM for the private key';
  const skipped = 'after skipping PEM blocks of the following types';
  return `failed to find PEM block with type ending in "PRIVATE KEY" in key input ${skipped}: ${labels(blocks)}`;
}

/**
 * Why a certificate and a private key do not belong together; undefined if they do. Both are PEM texts.
 *
 * @example keyPairProblem('', '') // => 'tls: failed to find any PEM data in certificate input'
 */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  const certificates = pemBlocks(certificate);
  const keys = pemBlocks(key);
  const missing = certificateProblem(certificates) ?? keyProblem(keys);
  if (missing !== undefined) return `tls: ${missing}`;
  let own: KeyObject;
  try {
    own = new X509Certificate(certificates.find(isCertificate)!.der).publicKey;
  } catch {
    return 'x509: malformed certificate';
  }
  const given = readKey(keys.find(isKey)!);
  if (given === undefined) return 'tls: failed to parse private key';
  if (given.asymmetricKeyType !== own.asymmetricKeyType) return 'tls: private key type does not match public key type';
  return createPublicKey(given).equals(own) ? undefined : 'tls: private key does not match public key';
}
