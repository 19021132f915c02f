import { createSign, generateKeyPairSync } from 'node:crypto';
import forge from 'node-forge';

const { asn1 } = forge;
const node = (type: forge.asn1.Type, value: string | forge.asn1.Asn1[], tagClass = asn1.Class.UNIVERSAL) =>
  asn1.create(tagClass, type, Array.isArray(value), value);

/** A request for nobody, signed on the curve P-256; `spoil` changes what was signed. */
export function requestPem(spoil = false): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = asn1.fromDer(publicKey.export({ format: 'der', type: 'spki' }).toString('binary'));
  const info = (version: string) =>
    node(asn1.Type.SEQUENCE, [
      node(asn1.Type.INTEGER, version),
      node(asn1.Type.SEQUENCE, []),
      spki,
      node(0 as forge.asn1.Type, [], asn1.Class.CONTEXT_SPECIFIC),
    ]);
  const signed = Buffer.from(asn1.toDer(info('\0')).getBytes(), 'binary');
  const signature = createSign('sha256').update(signed).sign(privateKey).toString('binary');
  const algorithm = node(asn1.Type.SEQUENCE, [node(asn1.Type.OID, asn1.oidToDer('1.2.840.10045.4.3.2').getBytes())]);
  const bits = node(asn1.Type.BITSTRING, `\0${signature}`);
  const der = asn1.toDer(node(asn1.Type.SEQUENCE, [info(spoil ? '\x01' : '\0'), algorithm, bits])).getBytes();
  const body = Buffer.from(der, 'binary').toString('base64');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`;
}
