import { X509Certificate } from 'node:crypto';
import { pemBlocks } from './pem.ts';

/**
 * How many characters of a bundle are read. The authorities of a machine have some 220,000. A longer bundle without any
 * certificate in this part counts as readable. It fails when a connection is made.
 */
const READ_CHARACTERS = 256 * 1024;

/**
 * Why a bundle of authorities (PEM) contains no usable certificate, in the words of the field. Undefined if at least
 * one certificate can be read. Callers do not pass an empty bundle.
 * @example unreadableBundle('no') // => 'unable to parse bytes as PEM block'
 */
export function unreadableBundle(pem: string): string | undefined {
  const blocks = pemBlocks(pem.slice(0, READ_CHARACTERS));
  const certificates = blocks.filter(({ type, hasHeaders }) => type === 'CERTIFICATE' && !hasHeaders);
  if (certificates.some(({ der }) => isCertificate(der))) return undefined;
  if (pem.length > READ_CHARACTERS) return undefined;
  if (certificates.length > 0) return 'failed to parse certificate';
  return blocks.length > 0 ? 'no valid certificate authority data seen' : 'unable to parse bytes as PEM block';
}

/**
 * The PEM text of a `caBundle`, which objects hold in base64. Undefined if there is none, and then the authorities of
 * the system count.
 */
export function bundleText(base64: string | undefined): string | undefined {
  return base64 ? Buffer.from(base64, 'base64').toString('latin1') : undefined;
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der) !== undefined;
  } catch {
    return false;
  }
}
