import type { SecureContext } from 'node:tls';
import { checkNamed } from './named-certificate.ts';
import { type TlsMaterial, trustingContext } from './secure-context.ts';

/** The credentials of connections, and the servers that they trust. */
export interface Trust extends TlsMaterial {
  /** The name that the certificate must contain. */
  readonly serverName?: string | undefined;
  /** Accepts any certificate of the server. */
  readonly insecure?: boolean | undefined;
}

const contexts = new WeakMap<Trust, SecureContext>();

/**
 * Certificates and key, read once. Reading takes two fifths of the cost of a connection, and each copy would stay in
 * memory.
 */
function contextOf(trust: Trust): SecureContext {
  const known = contexts.get(trust);
  if (known !== undefined) return known;
  const context = trustingContext(trust);
  contexts.set(trust, context);
  return context;
}

/**
 * The options of TLS connections that {@link Trust} decides.
 *
 * @throws Error if its certificates or key cannot be read.
 */
export function tlsOptions(trust: Trust): { readonly secureContext: SecureContext } {
  const { serverName, insecure } = trust;
  return {
    secureContext: contextOf(trust),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(insecure === true ? { rejectUnauthorized: false } : { checkServerIdentity: checkNamed }),
  };
}

/** Whether connections with the one trust may be used in place of connections with the other. */
export function sameTrust(a: Trust, b: Trust): boolean {
  return (
    a === b ||
    (a.ca === b.ca &&
      a.cert === b.cert &&
      a.key === b.key &&
      a.serverName === b.serverName &&
      a.insecure === b.insecure)
  );
}

/** How long the head of an answer may be, in bytes. */
export const MAX_HEAD = 256 << 10;
