import { ConfigError } from '#base/errors/config-error.ts';

/** A certificate for clients that ask for certain names. */
export interface NamedCertificate {
  readonly certFile: string;
  readonly keyFile: string;
  /**
   * Names in lower case. `*` stands for a whole first part. If the list is empty, the names in the certificate are
   * used.
   */
  readonly names: readonly string[];
}

/**
 * Reads `--tls-sni-cert-key`: `cert.pem,key.pem` or `cert.pem,key.pem:name,*.name`, once for each certificate. @throws
 * ConfigError
 */
export function readNamedCertificates(texts: readonly string[]): readonly NamedCertificate[] {
  return texts.map((text) => {
    const [, certFile, keyFile, names] = /^([^,:]+),([^,:]+)(?::(.*))?$/.exec(text) ?? [];
    if (certFile === undefined || keyFile === undefined) throw malformed(text, 'CERTFILE,KEYFILE[:NAME,…]');
    return {
      certFile,
      keyFile,
      names: names === undefined ? [] : names.split(',').map((name) => readName(text, name)),
    };
  });
}

function readName(text: string, name: string): string {
  const lower = name.trim().toLowerCase();
  if (!/^(?:\*\.)*[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(lower) || /^[\d.]+$/.test(lower))
    throw malformed(text, 'a list of names: clients cannot ask for addresses');
  return lower;
}

function malformed(text: string, wanted: string): ConfigError {
  return new ConfigError(`invalid value for flag --tls-sni-cert-key: ${JSON.stringify(text)} is not ${wanted}`);
}
