import forge from 'node-forge';
import { parseDer } from './der.ts';

const { asn1 } = forge;

/** One extension of a certificate. */
export interface CertificateExtension {
  readonly critical: boolean;
  /** DER of the extension's value. */
  readonly value: Buffer;
}

/** Fields of a certificate that node:crypto does not give. */
export interface CertificateFields {
  /** All attributes of the subject, in order, with their object identifiers. */
  readonly subject: readonly { readonly type: string; readonly value: string }[];
  /** By object identifier. */
  readonly extensions: ReadonlyMap<string, CertificateExtension>;
}

export const COMMON_NAME = '2.5.4.3';
export const ORGANIZATION = '2.5.4.10';

/**
 * Reads a certificate's DER.
 *
 * @throws Error if the DER is malformed
 */
export function readCertificateFields(der: Uint8Array): CertificateFields {
  const parts = children(children(parseDer(der))[0]);
  // version [0] is optional; then serial, algorithm, issuer, validity, subject, key.
  const start = parts[0]?.tagClass === asn1.Class.CONTEXT_SPECIFIC ? 1 : 0;
  const subject = children(parts[start + 4]).flatMap((rdn) =>
    children(rdn).map((attribute) => {
      const [type, value] = children(attribute);
      return { type: objectIdentifier(type), value: directoryText(value) };
    }),
  );
  const extensions = new Map<string, CertificateExtension>();
  const holder = parts
    .slice(start + 6)
    .find((part) => part.tagClass === asn1.Class.CONTEXT_SPECIFIC && +part.type === 3);
  for (const extension of holder === undefined ? [] : children(children(holder)[0])) {
    const [type, ...rest] = children(extension);
    const critical = rest.length > 1 && rest[0]?.value !== '\0';
    const oid = objectIdentifier(type);
    if (extensions.has(oid)) throw new Error('a certificate extension occurs twice');
    extensions.set(oid, { critical, value: Buffer.from(bytes(rest.at(-1)), 'latin1') });
  }
  return { subject, extensions };
}

/**
 * The basic constraints: whether the certificate belongs to an authority, and how many further authorities may follow
 * it.
 */
export function readBasicConstraints(value: Uint8Array): { ca: boolean; pathLength: number | undefined } {
  const parts = children(parseDer(value));
  const ca = parts.find((part) => part.type === asn1.Type.BOOLEAN);
  const length = parts.find((part) => part.type === asn1.Type.INTEGER);
  return {
    ca: ca !== undefined && bytes(ca) !== '\0',
    pathLength: length === undefined ? undefined : asn1.derToInteger(bytes(length)),
  };
}

/** Whether a key usage extension has a bit, counted from the left. Bit 5 is for signing certificates. */
export function hasKeyUsage(value: Uint8Array, bit: number): boolean {
  const content = Buffer.from(bytes(parseDer(value)), 'latin1');
  // The first byte counts unused bits at the end.
  const byte = content[1 + (bit >> 3)];
  return byte !== undefined && (byte & (0x80 >> (bit & 7))) !== 0;
}

/**
 * The parts of a constructed value.
 *
 * @throws Error if the value is not constructed
 */
export function children(node: forge.asn1.Asn1 | undefined): forge.asn1.Asn1[] {
  if (node === undefined || !Array.isArray(node.value)) throw new Error('a part of it is malformed');
  return node.value;
}

/**
 * The content of a primitive value, with one character for each byte.
 *
 * @throws Error if the value is not primitive
 */
export function bytes(node: forge.asn1.Asn1 | undefined): string {
  if (node === undefined || typeof node.value !== 'string') throw new Error('a part of it is malformed');
  return node.value;
}

/** The dotted form of an object identifier. */
export function objectIdentifier(node: forge.asn1.Asn1 | undefined): string {
  return asn1.derToOid(bytes(node));
}

/** A directory string in any of its encodings. */
export function directoryText(node: forge.asn1.Asn1 | undefined): string {
  const content = Buffer.from(bytes(node), 'latin1');
  switch (node?.type) {
    case asn1.Type.UTF8:
      return content.toString('utf8');
    case asn1.Type.BMPSTRING:
      return content.swap16().toString('utf16le');
    default:
      return content.toString('latin1');
  }
}
