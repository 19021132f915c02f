import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from '#base/errors/config-error.ts';

/** PEM texts: a certificate, with the certificates that follow it up to its authority, and its key. */
export interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** The files of a key pair, and the flags that named them: `{cert: '--tls-cert-file', key: …}`. */
export interface KeyPairFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly flags: { readonly cert: string; readonly key: string };
}

/**
 * Reads a certificate and its key.
 *
 * @throws ConfigError that names the file which cannot be used, and its flag.
 */
export function readKeyPair({ certFile, keyFile, flags }: KeyPairFiles): KeyPair {
  const cert = readCertificate(flags.cert, certFile);
  const key = readKey(flags.key, keyFile);
  if (!cert.certificate.checkPrivateKey(key.key))
    throw new ConfigError(`flag ${flags.key}: ${keyFile} is not the key of the certificate in ${certFile}`);
  return { cert: cert.pem, key: key.pem };
}

/**
 * A file of certificates (PEM), and its first certificate.
 *
 * @throws ConfigError that names the file and its flag.
 */
export function readCertificate(
  flag: string,
  file: string,
): { readonly pem: Buffer; readonly certificate: X509Certificate } {
  const pem = read(flag, file);
  try {
    return { pem, certificate: new X509Certificate(pem) };
  } catch (error) {
    throw new ConfigError(`flag ${flag}: ${file} holds no certificate: ${(error as Error).message}`);
  }
}

function readKey(flag: string, file: string): { readonly pem: Buffer; readonly key: KeyObject } {
  const pem = read(flag, file);
  try {
    return { pem, key: createPrivateKey(pem) };
  } catch (error) {
    throw new ConfigError(`flag ${flag}: ${file} holds no private key: ${(error as Error).message}`);
  }
}

function read(flag: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ConfigError(`flag ${flag}: ${file} cannot be read: ${(error as Error).message}`);
  }
}
