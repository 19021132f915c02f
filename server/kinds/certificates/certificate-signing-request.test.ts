import assert from 'node:assert/strict';
import { createSign, generateKeyPairSync } from 'node:crypto';
import forge from 'node-forge';
import { KindTester } from '../testing/kind-tester.ts';
import { requestProblem } from './certificate-request.ts';
import { certificateSigningRequest } from './certificate-signing-request.ts';
import { pemBlocks } from './pem.ts';

const kind = new KindTester(certificateSigningRequest, 'certificates.v1', 'CertificateSigningRequest');
const fields = (lines: string[]) => lines.map((line) => line.slice(0, line.indexOf(': ')));
const base64 = (text: string) => Buffer.from(text).toString('base64');

const { asn1 } = forge;
const node = (type: forge.asn1.Type, value: string | forge.asn1.Asn1[], tagClass = asn1.Class.UNIVERSAL) =>
  asn1.create(tagClass, type, Array.isArray(value), value);

/** A request for nobody, signed on the curve P-256; `spoil` changes what was signed. */
function requestPem(spoil = false): string {
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

const request = base64(requestPem());
const spec = (more: object = {}) => ({
  spec: { request, signerName: 'example.com/signer', usages: ['client auth'], ...more },
});

describe('a certificate signing request', () => {
  it('is signed by the key that it is for', () => {
    assert.equal(requestProblem(base64(`before\n${requestPem()}`)), undefined);
    assert.notEqual(requestProblem(base64(requestPem(true))), undefined);
    assert.notEqual(requestProblem(base64(requestPem().replace('CERTIFICATE REQUEST', 'X'))), undefined);
    assert.notEqual(requestProblem(null), undefined);
  });

  it('reads PEM blocks with what stands between and inside them', () => {
    const text =
      'x\n-----BEGIN A-----\nB: c\n\nAAAA\n-----END A-----\n-----BEGIN D-----\r\nAA\r\nAA\r\n-----END D-----';
    assert.deepEqual(
      pemBlocks(text).map(({ type, hasHeaders, der }) => [type, hasHeaders, der.length]),
      [
        ['A', true, 3],
        ['D', false, 3],
      ],
    );
  });

  it('is stamped with who asks', () => {
    const { spec: stamped } = kind.created(spec({ username: 'mallory', groups: ['masters'] }));
    assert.deepEqual([stamped.username, stamped.uid, stamped.groups], ['jane', 'u1', ['dev']]);
  });

  it('names a signer, usages and a time of ten minutes at least', () => {
    assert.deepEqual(kind.errors(spec()), []);
    const cases: [more: object, fields: string[]][] = [
      [{ signerName: '' }, ['spec.signerName']],
      [{ signerName: 'a/b' }, ['spec.signerName']],
      [{ signerName: kind.naming.key('legacy-unknown') }, ['spec.signerName']],
      [{ usages: [] }, ['spec.usages']],
      [{ usages: ['odd', 'odd'] }, ['spec.usages[0]', 'spec.usages[1]', 'spec.usages[1]']],
      [{ expirationSeconds: 599 }, ['spec.expirationSeconds']],
    ];
    for (const [more, expected] of cases) assert.deepEqual(fields(kind.errors(spec(more))), expected);
  });

  it('is decided through its approval view alone, and for good', () => {
    const approved = { type: 'Approved', status: 'True' };
    const decided = { ...spec(), status: { conditions: [approved] } };
    const both = { ...spec(), status: { conditions: [approved, { type: 'Denied', status: 'True' }] } };
    assert.deepEqual(kind.updateErrors(spec(), decided, 'approval'), []);
    assert.deepEqual(fields(kind.updateErrors(spec(), decided, 'status')), ['status.conditions']);
    assert.deepEqual(fields(kind.updateErrors(decided, spec(), 'approval')), ['status.conditions']);
    assert.deepEqual(fields(kind.updateErrors(decided, both, 'approval')), ['status.conditions[1].type']);
  });
});
