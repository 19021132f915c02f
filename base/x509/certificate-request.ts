import forge from 'node-forge';
import { bytes, children, directoryText, objectIdentifier } from './certificate-fields.ts';
import { type Asn1, parseDer } from './der.ts';
import { pemBlocks } from './pem.ts';

/**
 * Kinds of alternative names by their tag number (RFC 5280, 4.2.1.6): the kinds in issued certificates.
 */
export const ALTERNATIVE_NAMES = { dns: 2, email: 1, ip: 7, uri: 6 } as const;
export type AlternativeNameKind = keyof typeof ALTERNATIVE_NAMES;

/** The content of a certificate request (PKCS #10, RFC 2986). */
export interface CertificateRequest {
  /** All attributes, in order, with their object identifiers. */
  readonly subject: readonly { readonly type: string; readonly value: string }[];
  /** The public key in the form in which a certificate contains it. */
  readonly publicKey: Asn1;
  /** Alternative names of the four kinds only. Contents are byte strings. An address has 4 or 16 bytes. */
  readonly names: readonly { readonly kind: AlternativeNameKind; readonly bytes: string }[];
}

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';

/**
 * The DER of a request in PEM. The text must begin with the PEM block.
 *
 * @throws Error if it does not begin so
 */
export function requestDer(pem: string): Buffer {
  const [block] = pemBlocks(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') throw new Error('PEM block type must be CERTIFICATE REQUEST');
  return block.der;
}

/**
 * Reads a request in PEM without a check of its signature.
 *
 * @throws Error if the request is malformed
 */
export function readCertificateRequest(pem: string): CertificateRequest {
  const [, subject, publicKey, attributes] = children(children(parseDer(requestDer(pem)))[0]);
  if (publicKey === undefined) throw new Error('a part of it is malformed');
  return {
    subject: children(subject).flatMap((rdn) =>
      children(rdn).map((attribute) => {
        const [type, value] = children(attribute);
        return { type: objectIdentifier(type), value: directoryText(value) };
      }),
    ),
    publicKey,
    names: attributes === undefined ? [] : children(attributes).flatMap(alternativeNames),
  };
}

function alternativeNames(attribute: Asn1): CertificateRequest['names'] {
  const [type, values] = children(attribute);
  if (objectIdentifier(type) !== EXTENSION_REQUEST) return [];
  return children(values).flatMap((extensions) =>
    children(extensions).flatMap((extension) => {
      const parts = children(extension);
      if (objectIdentifier(parts[0]) !== SUBJECT_ALTERNATIVE_NAME) return [];
      return children(parseDer(Buffer.from(bytes(parts.at(-1)), 'latin1'))).flatMap(alternativeName);
    }),
  );
}

function alternativeName(name: Asn1): CertificateRequest['names'] {
  if (name.tagClass !== forge.asn1.Class.CONTEXT_SPECIFIC) throw new Error('a part of it is malformed');
  const kinds = Object.keys(ALTERNATIVE_NAMES) as AlternativeNameKind[];
  const kind = kinds.find((one) => ALTERNATIVE_NAMES[one] === +name.type);
  if (kind === undefined) return [];
  const content = bytes(name);
  if (kind === 'ip' && content.length !== 4 && content.length !== 16) throw new Error('an IP address is malformed');
  return [{ kind, bytes: content }];
}
