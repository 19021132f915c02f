import type { X509Certificate } from 'node:crypto';
import { ConfigError } from '#base/errors/config-error.ts';
import type { CertificateFields } from '#base/x509/certificate-fields.ts';
import { WatchedFile } from '#program/files/file-watcher.ts';
import { CredentialError } from './authenticator.ts';
import { readAuthorities, type VerifiedCertificate, verifyChain } from './certificate-verifier.ts';

/** The authorities of a file, read again when it changes, or of a text, and the clients they vouch for. */
export class CaBundle {
  readonly #authorities: { readonly value: readonly X509Certificate[] };
  readonly #now: () => number;
  /** The results of verification, by chain; all connections of a client share a chain. */
  #verified = new WeakMap<readonly Buffer[], VerifiedCertificate | CredentialError>();
  #verifiedBy: readonly X509Certificate[];

  /**
   * Of a file (`source` is its path), or of a text (`pem`).
   * @throws ConfigError when they cannot be used. `onError` gets later errors of the file.
   */
  constructor(
    source: string | { readonly pem: string },
    onError: (error: unknown) => void = () => {},
    now: () => number = Date.now,
  ) {
    const isFile = typeof source === 'string';
    try {
      this.#authorities = isFile
        ? new WatchedFile(source, readAuthorities, onError, now)
        : { value: readAuthorities(source.pem) };
    } catch (error) {
      throw new ConfigError(`cannot use the certificates${isFile ? ` of ${source}` : ''}: ${message(error)}`);
    }
    this.#now = now;
    this.#verifiedBy = this.#authorities.value;
  }

  /** PEM of each authority, for the listener to name to clients. */
  get pem(): readonly string[] {
    return this.#authorities.value.map((certificate) => certificate.toString());
  }

  /** The leaf of a chain that an authority vouches for now, or why none does. */
  verify(chain: readonly Buffer[]): CertificateFields | CredentialError {
    const authorities = this.#authorities.value;
    if (authorities !== this.#verifiedBy) {
      this.#verified = new WeakMap();
      this.#verifiedBy = authorities;
    }
    let result = this.#verified.get(chain);
    if (result === undefined) {
      result = tryVerify(chain, authorities);
      this.#verified.set(chain, result);
    }
    if (result instanceof CredentialError) return result;
    const now = this.#now();
    return now >= result.notBefore && now <= result.notAfter
      ? result.fields
      : new CredentialError('x509: certificate has expired or is not yet valid');
  }
}

function tryVerify(
  chain: readonly Buffer[],
  authorities: readonly X509Certificate[],
): VerifiedCertificate | CredentialError {
  try {
    return verifyChain(chain, authorities);
  } catch (error) {
    return new CredentialError(`x509: ${message(error)}`);
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
