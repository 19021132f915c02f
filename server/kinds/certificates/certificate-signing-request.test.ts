import assert from 'node:assert/strict';
import { pemBlocks } from '#base/x509/pem.ts';
import { makeRequest } from '#base/x509/testing/make-request.ts';
import { KindTester } from '../testing/kind-tester.ts';
import { requestProblem } from './certificate-request.ts';
import { certificateSigningRequest } from './certificate-signing-request.ts';

const kind = new KindTester(certificateSigningRequest, 'certificates.v1', 'CertificateSigningRequest');
const fields = (lines: string[]) => lines.map((line) => line.slice(0, line.indexOf(': ')));
const base64 = (text: string) => Buffer.from(text).toString('base64');

const request = makeRequest({ subject: [] });
const pem = Buffer.from(request, 'base64').toString();
const spec = (more: object = {}) => ({
  spec: { request, signerName: 'example.com/signer', usages: ['client auth'], ...more },
});

describe('a CertificateSigningRequest', () => {
  it('must be signed by its own key', () => {
    assert.equal(requestProblem(base64(`before\n${pem}`)), undefined);
    assert.notEqual(requestProblem(makeRequest({ subject: [], spoilt: true })), undefined);
    assert.notEqual(requestProblem(base64(pem.replace('CERTIFICATE REQUEST', 'X'))), undefined);
    assert.notEqual(requestProblem(null), undefined);
  });

  it('can contain PEM blocks with headers and other text between them', () => {
    const text =
      'x\n-----BEGIN A-----\nB: c\n\nAAAA\n-----END A-----\n-----BEGIN D-----\r\nAA\r\nAA\r\n-----END D-----';
    assert.deepEqual(
      pemBlocks(text).map(({ type, hasHeaders, der }) => [type, hasHeaders, der.length]),
      [
        ['A', true, 3],
        ['D', false, 3],
      ],
    );
    const none = [
      '-----BEGIN A-----\nAAAA\n-----END B-----',
      'x -----BEGIN A-----\nAAAA\n-----END A-----',
      '-----BEGIN A-----\n!AAA\n-----END A-----',
    ];
    for (const other of none) assert.deepEqual(pemBlocks(other), [], other);
    assert.equal(pemBlocks(`-----BEGIN A-----\n-----BEGIN B-----\nAAAA\n-----END B-----\n`)[0]?.type, 'B');
  });

  it('contains the name, UID and groups of its creator', () => {
    const { spec: stamped } = kind.created(spec({ username: 'mallory', groups: ['masters'] }));
    assert.deepEqual([stamped.username, stamped.uid, stamped.groups], ['jane', 'u1', ['dev']]);
  });

  it('needs a valid signer, usages and at least ten minutes of validity', () => {
    assert.deepEqual(kind.errors(spec()), []);
    const cases: [more: object, fields: string[]][] = [
      [{ signerName: '' }, ['spec.signerName']],
      [{ signerName: 'a/b' }, ['spec.signerName']],
      [{ signerName: 'A.B/c' }, ['spec.signerName']],
      [{ signerName: 'a.b/C.D' }, ['spec.signerName']],
      [{ signerName: `${'a.'.repeat(126)}bc/d` }, ['spec.signerName']],
      [{ signerName: kind.naming.key('legacy-unknown') }, ['spec.signerName']],
      [{ usages: [] }, ['spec.usages']],
      [{ usages: ['odd', 'odd'] }, ['spec.usages[0]', 'spec.usages[1]', 'spec.usages[1]']],
      [{ expirationSeconds: 599 }, ['spec.expirationSeconds']],
    ];
    for (const [more, expected] of cases) assert.deepEqual(fields(kind.errors(spec(more))), expected);
  });

  it('is approved or denied only through its approval subresource, and only once', () => {
    const approved = { type: 'Approved', status: 'True' };
    const decided = { ...spec(), status: { conditions: [approved] } };
    const both = { ...spec(), status: { conditions: [approved, { type: 'Denied', status: 'True' }] } };
    assert.deepEqual(kind.updateErrors(spec(), decided, 'approval'), []);
    assert.deepEqual(fields(kind.updateErrors(spec(), decided, 'status')), ['status.conditions']);
    assert.deepEqual(fields(kind.updateErrors(decided, spec(), 'approval')), ['status.conditions']);
    assert.deepEqual(fields(kind.updateErrors(decided, both, 'approval')), ['status.conditions[1].type']);
    const denied = { type: 'Denied', status: 'True' };
    const reversed = { ...spec(), status: { conditions: [denied, approved] } };
    const before = { ...spec(), status: { conditions: [denied] } };
    assert.deepEqual(fields(kind.updateErrors(before, reversed, 'approval')), ['status.conditions']);
  });
});
