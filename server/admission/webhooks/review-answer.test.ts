import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { denialOf, readAnswer } from './review-answer.ts';

const naming = createNaming('orch');
const schema = loadSchema(naming);
const group = naming.group('admission');
const patch = Buffer.from('[]').toString('base64');

function read(body: string | object, version: 'v1' | 'v1beta1' = 'v1', mutating = true): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  try {
    const asked = { uid: 'u', version, mutating };
    const answer = readAnswer(schema, naming, Buffer.from(text), asked);
    return `${answer.allowed ? 'allowed' : 'denied'}${answer.patch === '' ? '' : ` with ${answer.patch}`}`;
  } catch (error) {
    return (error as Error).message;
  }
}

const answer = (response: object, version = 'v1') => ({
  apiVersion: `${group}/${version}`,
  kind: 'AdmissionReview',
  response,
});

describe('readAnswer', () => {
  const rows: [what: string, body: string | object, wanted: string | RegExp, version?: 'v1' | 'v1beta1'][] = [
    ['allow', answer({ uid: 'u', allowed: true }), 'allowed'],
    ['deny', answer({ uid: 'u' }), 'denied'],
    [
      'without a kind',
      { response: { uid: 'u', allowed: true } },
      `expected webhook response of ${group}/v1, Kind=AdmissionReview, got /, Kind=`,
    ],
    [
      'without a version',
      { ...answer({ uid: 'u' }), apiVersion: null },
      `expected webhook response of ${group}/v1, Kind=AdmissionReview, got /, Kind=AdmissionReview`,
    ],
    ['v1beta1 without a version', { ...answer({ allowed: true }), apiVersion: null }, 'allowed', 'v1beta1'],
    [
      'v1beta1 with a version but without a kind',
      { ...answer({ allowed: true }, 'v1beta1'), kind: '' },
      'allowed',
      'v1beta1',
    ],
    ['nothing', 'null', 'webhook response was absent'],
    ['v1beta1 without a kind', { response: { allowed: true } }, 'allowed', 'v1beta1'],
    ['patch', answer({ uid: 'u', allowed: true, patch, patchType: 'JSONPatch' }), 'allowed with []'],
    ['patch without a type', answer({ uid: 'u', patch }), /response.patch but not response.patchType/],
    [
      'a type without a patch',
      answer({ uid: 'u', patchType: 'JSONPatch' }),
      /response.patchType but not response.patch/,
    ],
    [
      'another type',
      answer({ uid: 'u', allowed: true, patch, patchType: 'Merge' }),
      /invalid response.patchType of "Merge"/,
    ],
    ['another type in a refusal', answer({ uid: 'u', patch, patchType: 'Merge' }), 'denied with []'],
    ['an empty type', answer({ uid: 'u', patch, patchType: '' }), /invalid response.patchType of ""/],
    [
      'another type in v1beta1',
      answer({ allowed: true, patch, patchType: 'Merge' }, 'v1beta1'),
      'allowed with []',
      'v1beta1',
    ],
    ['bad base64', answer({ uid: 'u', patch: '%', patchType: 'JSONPatch' }), /base64/],
    ['another uid', answer({ uid: 'x' }), 'expected response.uid="u", got "x"'],
    ['no response', '{}', 'webhook response was absent'],
    ['null', answer({}) && { ...answer({}), response: null }, 'webhook response was absent'],
    ['an answer that is not JSON', 'oops', /json parse error/],
    ['a list', '[]', /not array/],
    ['another kind', { ...answer({}), kind: 'Pod' }, /no kind "Pod" is registered/],
    ['another group', { ...answer({}), apiVersion: 'example.com/v1' }, /no kind "AdmissionReview" is registered/],
    ['another version', answer({}, 'v1beta1'), /unknown conversion/],
    ['a wrong type', answer({ uid: 'u', allowed: 'yes' }), /cannot unmarshal string/],
    ['v1beta1 without uid and type', answer({ allowed: true, patch }, 'v1beta1'), 'allowed with []', 'v1beta1'],
  ];
  for (const [what, body, wanted, version] of rows) {
    it(`${what}: ${wanted}`, () => {
      const got = read(body, version);
      if (typeof wanted === 'string') assert.equal(got, wanted);
      else assert.match(got, wanted);
    });
  }

  it('refuses a patch of a validating webhook', () => {
    const v1 = (response: object) => read(answer({ uid: 'u', allowed: true, ...response }), 'v1', false);
    assert.equal(v1({}), 'allowed');
    assert.equal(v1({ patch }), 'validating webhook may not return response.patch');
    assert.equal(v1({ patchType: 'JSONPatch' }), 'validating webhook may not return response.patchType');
    assert.equal(read(answer({ allowed: true, patch }, 'v1beta1'), 'v1beta1', false), 'allowed');
  });

  it('turns a denial into an error with the code of its status', () => {
    const rows: [status: Parameters<typeof denialOf>[1], code: number, reason: string, message: RegExp][] = [
      [undefined, 400, '', /without explanation$/],
      [{ message: 'm' }, 400, '', /: m$/],
      [{ reason: 'Conflict', code: 409 }, 409, 'Conflict', /: Conflict$/],
      [{ code: 200, message: 'm' }, 400, '', /: m$/],
      [{ code: 600, message: 'm' }, 600, '', /: m$/],
      [{ code: 9999, message: 'm' }, 500, '', /: m$/],
    ];
    for (const [status, code, reason, message] of rows) {
      const denial = denialOf('w', status);
      assert.deepEqual([denial.code, denial.reason], [code, reason]);
      assert.match(denial.message, message);
    }
  });
});
