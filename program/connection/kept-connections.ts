import type { SecureContext } from 'node:tls';
import { checkNamed } from './named-certificate.ts';
import { type TlsMaterial, trustingContext } from './secure-context.ts';

/** As whom, and believing whom, connections are made. */
export interface Trust extends TlsMaterial {
  /** The name that the certificate must be for. */
  readonly serverName?: string | undefined;
  /** Accepts any certificate of the server. */
  readonly insecure?: boolean | undefined;
}

const contexts = new WeakMap<Trust, SecureContext>();

/**
 * Certificates and key, read once: that is two fifths of what opening a connection costs, and each reading is held
 * apart.
 */
function contextOf(trust: Trust): SecureContext {
  const known = contexts.get(trust);
  if (known !== undefined) return known;
  const context = trustingContext(trust);
  contexts.set(trust, context);
  return context;
}

/**
 * What connections of TLS need to know of {@link Trust}.
 *
 * @throws Error where its certificates or key cannot be read.
 */
export function tlsOptions(trust: Trust): { readonly secureContext: SecureContext } {
  const { serverName, insecure } = trust;
  return {
    secureContext: contextOf(trust),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(insecure === true ? { rejectUnauthorized: false } : { checkServerIdentity: checkNamed }),
  };
}

/** Whether connections made by one are as good as those made by the other. */
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
