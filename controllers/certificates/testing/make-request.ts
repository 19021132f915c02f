import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import forge from 'node-forge';
import type { CertificateSigningRequest } from '../../../server/schema/generated/certificates.v1.ts';
import { ALTERNATIVE_NAMES, type AlternativeNameKind } from '../../../server/x509/certificate-request.ts';
import { bits, extension, integer, oid, parseDer, primitive, sequence, toDer } from '../../../server/x509/der.ts';

const { Class, Type, create } = forge.asn1;

export interface RequestWish {
  /** `CN` and `O` with their values, in order. */
  readonly subject: readonly (readonly ['CN' | 'O', string])[];
  readonly names?: readonly (readonly [AlternativeNameKind, string])[];
}

/** A certificate request in base64 of PEM, signed by a new key. */
export function makeRequest({ subject, names = [] }: RequestWish): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const set = (...parts: forge.asn1.Asn1[]) => create(Class.UNIVERSAL, Type.SET, true, parts);
  const general = names.map(([kind, value]) =>
    create(Class.CONTEXT_SPECIFIC, ALTERNATIVE_NAMES[kind] as forge.asn1.Type, false, value),
  );
  const wished = sequence(
    oid('1.2.840.113549.1.9.14'),
    set(sequence(extension('2.5.29.17', false, sequence(...general)))),
  );
  const info = sequence(
    integer('\0'),
    sequence(
      ...subject.map(([type, value]) =>
        set(sequence(oid(type === 'CN' ? '2.5.4.3' : '2.5.4.10'), primitive(Type.UTF8, value))),
      ),
    ),
    parseDer(createPublicKey(privateKey).export({ type: 'spki', format: 'der' })),
    create(Class.CONTEXT_SPECIFIC, 0, true, general.length === 0 ? [] : [wished]),
  );
  const signature = sign('sha256', toDer(info), privateKey);
  const whole = sequence(info, sequence(oid('1.2.840.10045.4.3.2')), bits(`\0${signature.toString('latin1')}`));
  const lines = toDer(whole)
    .toString('base64')
    .replace(/.{1,64}/g, '$&\n');
  return Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----\n${lines}-----END CERTIFICATE REQUEST-----\n`).toString(
    'base64',
  );
}

const NODE: RequestWish['subject'] = [
  ['CN', 'system:node:n1'],
  ['O', 'system:nodes'],
];
export const NODE_REQUEST: RequestWish = { subject: NODE };
export const CLIENT_USAGES = ['digital signature', 'key encipherment', 'client auth'];
export const SERVING_USAGES = ['digital signature', 'key encipherment', 'server auth'];

/** A request as an object, approved unless said otherwise. */
export function requestObject(
  name: string,
  signerName: string,
  wish: RequestWish,
  more: { spec?: object; conditions?: readonly string[]; at?: string } = {},
): CertificateSigningRequest {
  const { spec, conditions = ['Approved'], at = new Date().toISOString() } = more;
  return {
    metadata: { name, creationTimestamp: at },
    spec: { request: makeRequest(wish), signerName, usages: CLIENT_USAGES, username: 'system:node:n1', ...spec },
    status: { conditions: conditions.map((type) => ({ type, status: 'True', reason: 'Test', lastUpdateTime: at })) },
  };
}
