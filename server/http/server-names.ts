import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { NamedCertificate } from '#program/flags/named-certificates.ts';

/**
 * Certificates for clients that ask for certain names (SNI). Whole names take precedence over names with a `*`. Names
 * from the operator take precedence over names in a certificate. Earlier certificates take precedence over later ones.
 */
export class ServerNames {
  readonly #certificates: readonly NamedCertificate[];
  readonly #material: (certFile: string, keyFile: string) => SecureContextOptions & { readonly cert: Buffer };
  #contexts: ReadonlyMap<string, SecureContext> = new Map();

  /** @param material reads a certificate and its key, with all other parts of a TLS context */
  constructor(
    certificates: readonly NamedCertificate[],
    material: (certFile: string, keyFile: string) => SecureContextOptions & { readonly cert: Buffer },
  ) {
    this.#certificates = certificates;
    this.#material = material;
  }

  get files(): readonly string[] {
    return this.#certificates.flatMap(({ certFile, keyFile }) => [certFile, keyFile]);
  }

  /**
   * Reads all files.
   *
   * @throws Error if one of them cannot be used; the previous certificates then stay in use
   */
  load(): void {
    const given = new Map<string, SecureContext>();
    const found = new Map<string, SecureContext>();
    for (const { certFile, keyFile, names } of this.#certificates) {
      const material = this.#material(certFile, keyFile);
      const context = createSecureContext(material);
      const [map, all] = names.length > 0 ? [given, names] : [found, namesIn(material.cert)];
      for (const name of all) if (!map.has(name)) map.set(name, context);
    }
    this.#contexts = new Map([...found, ...given]);
  }

  /**
   * The certificate for a client that asks for this name. Undefined means the certificate for clients without a name.
   */
  contextFor(asked: string): SecureContext | undefined {
    const name = asked.toLowerCase().replace(/\.$/, '');
    const exact = this.#contexts.get(name);
    if (exact !== undefined) return exact;
    const parts = name.split('.');
    for (let i = 0; i < parts.length; i++) {
      parts[i] = '*';
      const context = this.#contexts.get(parts.join('.'));
      if (context !== undefined) return context;
    }
    return undefined;
  }
}

/** The names in a certificate, without its addresses, because clients cannot ask for addresses. */
function namesIn(pem: Buffer): string[] {
  const { subject, subjectAltName = '' } = new X509Certificate(pem);
  const common = /^CN=((?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*)$/im.exec(subject)?.[1];
  const names = [...subjectAltName.matchAll(/(?:^|, )DNS:([^,"]+)/g)].map((match) => match[1]!);
  return [...(common === undefined ? [] : [common]), ...names].map((name) => name.toLowerCase());
}
