import { createSecureContext, type SecureContext } from 'node:tls';

/** What a connection of TLS believes and shows; PEM texts. */
export interface TlsMaterial {
  /** The bundle of certificates that are believed; undefined: the authorities of this machine. */
  readonly ca?: string | Buffer | undefined;
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
}

/**
 * What a connection is made with, for every place where this project calls a server. Each certificate of a bundle is
 * trusted by itself, whether it signs others or not, and whichever authority signed it. It may be an authority, one
 * below an authority, or the certificate of one server. Its validity, usages and names are checked as always.
 *
 * Node.js from 20.18 on can do this; older ones want the authority that signs itself and ignore the option.
 *
 * @throws Error where a certificate or the key cannot be read.
 */
export function trustingContext({ ca, cert, key }: TlsMaterial): SecureContext {
  return createSecureContext({
    ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
}
