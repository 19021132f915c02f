import forge from 'node-forge';

const { asn1 } = forge;
const { Class, Type } = asn1;

/** Parts of certificates in ASN.1 (RFC 5280). Contents are byte strings with one character for each byte. */
export type Asn1 = forge.asn1.Asn1;

/**
 * An extension by its object identifier.
 *
 * @example extension('2.5.29.15', true, keyUsage) // the key usage, which programs must not ignore
 */
export function extension(type: string, critical: boolean, value: Asn1): Asn1 {
  const flag = critical ? [primitive(Type.BOOLEAN, '\xff')] : [];
  return sequence(oid(type), ...flag, primitive(Type.OCTETSTRING, asn1.toDer(value).getBytes()));
}

/** A moment (RFC 5280, 4.1.2.5). The short form is for years up to 2049. */
export function moment(ms: number): Asn1 {
  const date = new Date(ms);
  return date.getUTCFullYear() < 2050
    ? primitive(Type.UTCTIME, asn1.dateToUtcTime(date))
    : primitive(Type.GENERALIZEDTIME, asn1.dateToGeneralizedTime(date));
}

/** A SEQUENCE. */
export function sequence(...parts: Asn1[]): Asn1 {
  return asn1.create(Class.UNIVERSAL, Type.SEQUENCE, true, parts);
}

/** A part with an explicit tag of its context. */
export function context(number: number, part: Asn1): Asn1 {
  return asn1.create(Class.CONTEXT_SPECIFIC, number, true, [part]);
}

/** A value of a universal type. */
export function primitive(type: forge.asn1.Type, value: string): Asn1 {
  return asn1.create(Class.UNIVERSAL, type, false, value);
}

/** An INTEGER of these bytes, which include its sign. */
export function integer(bytes: string): Asn1 {
  return primitive(Type.INTEGER, bytes);
}

/** A BIT STRING; its first byte counts the unused bits at the end. */
export function bits(bytes: string): Asn1 {
  return primitive(Type.BITSTRING, bytes);
}

/** An OBJECT IDENTIFIER from its dotted form. */
export function oid(value: string): Asn1 {
  return primitive(Type.OID, asn1.oidToDer(value).getBytes());
}

/** The DER of a value. */
export function toDer(value: Asn1): Buffer {
  return Buffer.from(asn1.toDer(value).getBytes(), 'latin1');
}

/** The types of the library lack its options. */
const fromDer = asn1.fromDer as unknown as (der: forge.util.ByteStringBuffer, options: object) => Asn1;

/**
 * Reads DER. The bytes must be one value. Bit strings whose content looks like values stay bytes.
 *
 * @throws Error if the DER is malformed
 */
export function parseDer(der: Uint8Array): Asn1 {
  const buffer = forge.util.createBuffer(Buffer.from(der).toString('latin1'));
  return fromDer(buffer, { strict: true, parseAllBytes: true, decodeBitStrings: false });
}
