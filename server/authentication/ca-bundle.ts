import type { X509Certificate } from 'node:crypto';
import { ConfigError } from '#base/errors/config-error.ts';
import type { CertificateFields } from '#base/x509/certificate-fields.ts';
import { WatchedFile } from '#program/files/file-watcher.ts';
import { CredentialError } from './authenticator.ts';
import { readAuthorities, type VerifiedCertificate, verifyChain } from './certificate-verifier.ts';

/**
 * The authorities of a file or of a text, and the clients whose certificates they verify. The file is read again when
 * it changes.
 */
export class CaBundle {
  readonly #authorities: { readonly value: readonly X509Certificate[] };
  readonly #now: () => number;
  /** The results of verification, by chain. All connections of a client share a chain. */
  #verified = new WeakMap<readonly Buffer[], VerifiedCertificate | CredentialError>();
  #verifiedBy: readonly X509Certificate[];

  /**
   * From a file (`source` is its path), or from a text (`pem`).
   * @throws ConfigError if they cannot be used. `onError` gets later errors of the file.
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

  /** The PEM text of each authority. The listener names them to clients. */
  get pem(): readonly string[] {
    return this.#authorities.value.map((certificate) => certificate.toString());
  }

  /** The client's own certificate, if an authority verifies its chain now; otherwise the reason why none does. */
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
