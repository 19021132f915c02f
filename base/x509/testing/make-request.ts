import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import forge from 'node-forge';
import { ALTERNATIVE_NAMES, type AlternativeNameKind } from '../certificate-request.ts';
import { bits, extension, integer, oid, parseDer, primitive, sequence, toDer } from '../der.ts';

const { Class, Type, create } = forge.asn1;

/** The content of the certificate request. */
export interface RequestWish {
  /** `CN` and `O` with their values, in order. */
  readonly subject: readonly (readonly ['CN' | 'O', string])[];
  readonly names?: readonly (readonly [AlternativeNameKind, string])[];
  /** Whether the request is changed after it was signed. */
  readonly spoilt?: boolean;
}

/** A certificate request in base64 of PEM, signed by a new key. */
export function makeRequest({ subject, names = [], spoilt = false }: RequestWish): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const set = (...parts: forge.asn1.Asn1[]) => create(Class.UNIVERSAL, Type.SET, true, parts);
  const general = names.map(([kind, value]) =>
    create(Class.CONTEXT_SPECIFIC, ALTERNATIVE_NAMES[kind] as forge.asn1.Type, false, value),
  );
  const wished = sequence(
    oid('1.2.840.113549.1.9.14'),
    set(sequence(extension('2.5.29.17', false, sequence(...general)))),
  );
  const info = (version: string) =>
    sequence(
      integer(version),
      sequence(
        ...subject.map(([type, value]) =>
          set(sequence(oid(type === 'CN' ? '2.5.4.3' : '2.5.4.10'), primitive(Type.UTF8, value))),
        ),
      ),
      parseDer(createPublicKey(privateKey).export({ type: 'spki', format: 'der' })),
      create(Class.CONTEXT_SPECIFIC, 0, true, general.length === 0 ? [] : [wished]),
    );
  const signature = sign('sha256', toDer(info('\0')), privateKey);
  const whole = sequence(
    info(spoilt ? '\x01' : '\0'),
    sequence(oid('1.2.840.10045.4.3.2')),
    bits(`\0${signature.toString('latin1')}`),
  );
  const lines = toDer(whole)
    .toString('base64')
    .replace(/.{1,64}/g, '$&\n');
  return Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----\n${lines}-----END CERTIFICATE REQUEST-----\n`).toString(
    'base64',
  );
}
