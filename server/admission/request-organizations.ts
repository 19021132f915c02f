import forge from 'node-forge';
import { pemBlocks } from '../x509/pem.ts';

const ORGANIZATION = '2.5.4.10';
const PARSING = { strict: true, parseAllBytes: true, decodeBitStrings: false };
const parse = forge.asn1.fromDer as unknown as (
  bytes: forge.util.ByteBuffer,
  options: typeof PARSING,
) => forge.asn1.Asn1;

function children(node: forge.asn1.Asn1 | undefined): readonly forge.asn1.Asn1[] {
  return Array.isArray(node?.value) ? node.value : [];
}

/** The organizations in the subject of a certificate request (PKCS #10, RFC 2986) in base64 of PEM; throws on garbage. */
export function requestOrganizations(base64: string): string[] {
  const [block] = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'));
  if (block?.type !== 'CERTIFICATE REQUEST') throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const [info] = children(parse(forge.util.createBuffer(block.der.toString('binary')), PARSING));
  const [, subject] = children(info);
  const organizations: string[] = [];
  for (const attribute of children(subject).flatMap(children)) {
    const [type, value] = children(attribute);
    if (typeof type?.value !== 'string' || typeof value?.value !== 'string') continue;
    if (forge.asn1.derToOid(forge.util.createBuffer(type.value)) === ORGANIZATION) organizations.push(value.value);
  }
  return organizations;
}
