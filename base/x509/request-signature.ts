import { constants, createPublicKey, verify } from 'node:crypto';
import forge from 'node-forge';
import { table } from '../collections/own-properties.ts';
import { bytes, children, objectIdentifier } from './certificate-fields.ts';
import { requestDer } from './certificate-request.ts';
import { type Asn1, parseDer, toDer } from './der.ts';

/** Digests of signatures by the object identifier of the algorithm (RFC 8017, 5758, 8410). Ed25519 has no digest. */
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

const RSA_PSS = '1.2.840.113549.1.1.10';

/** Digests named in the parameters of RSA-PSS. */
const PSS_DIGESTS: Readonly<Record<string, string>> = table({
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
});

/**
 * Whether a certificate request in PEM is signed by its own key.
 *
 * @throws Error if the request is malformed or its algorithm is unknown
 */
export function requestSignatureHolds(pem: string): boolean {
  const [info, algorithm, signature] = children(parseDer(requestDer(pem)));
  const [, , publicKey] = children(info);
  const [type, parameters] = children(algorithm);
  if (info === undefined || publicKey === undefined) throw new Error('a part of it is malformed');
  // the first byte of a bit string is the number of unused bits
  const bits = Buffer.from(bytes(signature), 'latin1').subarray(1);
  const key = createPublicKey({ key: toDer(publicKey), format: 'der', type: 'spki' });
  const name = objectIdentifier(type);
  const isPss = name === RSA_PSS && parameters !== undefined;
  const digest = isPss ? PSS_DIGESTS[firstIdentifier(parameters) ?? ''] : DIGESTS[name];
  if (digest === undefined) throw new Error('x509: cannot verify signature: algorithm unimplemented');
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
  return verify(digest, toDer(info), isPss ? { key, ...padding } : key, bits);
}

/** The first object identifier among the parameters, in a depth-first search. It names the digest. */
function firstIdentifier(node: Asn1): string | undefined {
  if (node.type === forge.asn1.Type.OID) return objectIdentifier(node);
  if (!Array.isArray(node.value)) return undefined;
  for (const child of node.value) {
    const found = firstIdentifier(child);
    if (found !== undefined) return found;
  }
  return undefined;
}
