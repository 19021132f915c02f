import { createSecureContext, type SecureContext } from 'node:tls';

/** The trusted certificates and the certificate of this side, as PEM texts. */
export interface TlsMaterial {
  /** The bundle of trusted certificates. Undefined means the authorities of this machine. */
  readonly ca?: string | Buffer | undefined;
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
}

/**
 * The TLS context for all connections of this project to servers. Each certificate of a bundle is trusted separately,
 * even if it cannot sign others, and regardless of its issuer. It may be an authority, an intermediate authority, or
 * the certificate of one server. Validity, usages and names are checked as usual.
 *
 * Node.js 20.18 and later support this; older releases ignore the option and require the self-signed authority.
 *
 * @throws Error if a certificate or the key cannot be read
 */
export function trustingContext({ ca, cert, key }: TlsMaterial): SecureContext {
  return createSecureContext({
    ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
}
