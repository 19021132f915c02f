import { constants, createPublicKey, verify } from 'node:crypto';
import forge from 'node-forge';
import { table } from '../../base/own-properties.ts';
import { pemBlocks } from '../../x509/pem.ts';

/** Digests of signatures by the object identifier of the algorithm (RFC 8017, 5758, 8410); none for Ed25519. */
const DIGESTS: Readonly<Record<string, string | null>> = table({
  '1.2.840.113549.1.1.5': 'sha1',
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.1': 'sha1',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.3.101.112': null,
});
/** Bit strings that happen to look like ASN.1 stay texts. */
const PARSING = { strict: true, parseAllBytes: true, decodeBitStrings: false };
const parse = forge.asn1.fromDer as unknown as (
  bytes: forge.util.ByteBuffer,
  options: typeof PARSING,
) => forge.asn1.Asn1;
const RSA_PSS = '1.2.840.113549.1.1.10';
/** Digests named in the parameters of RSA-PSS. */
const PSS_DIGESTS: Readonly<Record<string, string>> = table({
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
});

function children(node: forge.asn1.Asn1 | undefined): forge.asn1.Asn1[] {
  if (node === undefined || !Array.isArray(node.value)) throw new Error('malformed certificate request');
  return node.value;
}

function der(node: forge.asn1.Asn1): Buffer {
  return Buffer.from(forge.asn1.toDer(node).getBytes(), 'binary');
}

function identifier(node: forge.asn1.Asn1 | undefined): string {
  if (typeof node?.value !== 'string') throw new Error('malformed certificate request');
  return forge.asn1.derToOid(forge.util.createBuffer(node.value));
}

/** The first object identifier among parameters, in depth: that of the digest. */
function firstIdentifier(node: forge.asn1.Asn1): string | undefined {
  if (node.type === forge.asn1.Type.OID && typeof node.value === 'string') return identifier(node);
  if (!Array.isArray(node.value)) return undefined;
  for (const child of node.value) {
    const found = firstIdentifier(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether the key of a PKCS #10 request (RFC 2986) has signed it. Throws on anything malformed or unknown. */
function signatureHolds(request: Buffer): boolean {
  const root = parse(forge.util.createBuffer(request.toString('binary')), PARSING);
  const [info, algorithm, signature] = children(root);
  const [version, subject, publicKey] = children(info);
  if (version === undefined || subject === undefined || publicKey === undefined) {
    throw new Error('malformed certificate request');
  }
  const [oid, parameters] = children(algorithm);
  if (typeof signature?.value !== 'string' || info === undefined) throw new Error('malformed certificate request');
  // the first byte of a bit string counts the bits left over
  const bits = Buffer.from(signature.value, 'binary').subarray(1);
  const key = createPublicKey({ key: der(publicKey), format: 'der', type: 'spki' });
  const name = identifier(oid);
  if (name === RSA_PSS && parameters !== undefined) {
    const digest = PSS_DIGESTS[firstIdentifier(parameters) ?? ''];
    if (digest === undefined) throw new Error('x509: cannot verify signature: algorithm unimplemented');
    const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
    return verify(digest, der(info), { key, ...padding }, bits);
  }
  const digest = DIGESTS[name];
  if (digest === undefined) throw new Error('x509: cannot verify signature: algorithm unimplemented');
  return verify(digest, der(info), key, bits);
}

/** What is wrong with the base64 of a PEM certificate request; undefined when it is fine. */
export function requestProblem(base64: string | null): string | undefined {
  const [block] = pemBlocks(Buffer.from(base64 ?? '', 'base64').toString('latin1'));
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    return signatureHolds(block.der) ? undefined : 'x509: the signature does not match';
  } catch (error) {
    return error instanceof Error ? error.message : 'malformed certificate request';
  }
}
