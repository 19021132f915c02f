import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { NamedCertificate } from '#program/flags/named-certificates.ts';

/**
 * Certificates for clients that ask for certain names (SNI). Whole names win over those with a `*`, names that were
 * given over those that a certificate has, and certificates that were named earlier over later ones.
 */
export class ServerNames {
  readonly #certificates: readonly NamedCertificate[];
  readonly #material: (certFile: string, keyFile: string) => SecureContextOptions & { readonly cert: Buffer };
  #contexts: ReadonlyMap<string, SecureContext> = new Map();

  /** `material` reads a certificate and its key, with all else that a connection is to be made of. */
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
   * @throws when one of them cannot be used; then all stays as it was
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

  /** What a client that asks for this name is shown; undefined: the same as those that ask for none. */
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

/** The names that a certificate is for, without its addresses: clients cannot ask for those. */
function namesIn(pem: Buffer): string[] {
  const { subject, subjectAltName = '' } = new X509Certificate(pem);
  const common = /^CN=((?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*)$/im.exec(subject)?.[1];
  const names = [...subjectAltName.matchAll(/(?:^|, )DNS:([^,"]+)/g)].map((match) => match[1]!);
  return [...(common === undefined ? [] : [common]), ...names].map((name) => name.toLowerCase());
}
