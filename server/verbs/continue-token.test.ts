import assert from 'node:assert/strict';
import { decodeContinue, encodeContinue } from './continue-token.ts';

const V = 'meta.example/v1';

describe('continue tokens', () => {
  const point = { revision: 7, start: 'ns/name\0' };
  it('decode to what was encoded', () => assert.deepEqual(decodeContinue(encodeContinue(point, V), V), point));

  const encoded = (content: unknown) =>
    Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)).toString('base64url');
  const good = { v: V, rv: -1, start: 'c' };
  // A token, and the start of its page or the reason of its refusal.
  const rows: [token: string, outcome: string][] = [
    [encoded(good), '-1 c'],
    [encoded({ ...good, start: '/c', more: 1 }), '-1 c'],
    [`${encoded(good)}=`, 'illegal base64 data at input byte 58'],
    ['*', 'illegal base64 data at input byte 0'],
    ['', 'unexpected end of JSON input'],
    [encoded('x'), "invalid character 'x' looking for beginning of value"],
    [encoded([]), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
    [encoded('null'), 'server does not recognize this encoded version '],
    [encoded({ ...good, v: 'v9' }), 'server does not recognize this encoded version v9'],
    [encoded({ ...good, v: 5 }), 'json: cannot unmarshal number into Go struct field continueToken.v of type string'],
    [
      encoded({ ...good, rv: '5' }),
      'json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
    ],
    [
      encoded({ ...good, rv: 1.5 }),
      'json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64',
    ],
    [encoded({ v: V, start: 'c' }), `incorrect encoded start resourceVersion (version ${V})`],
    [encoded({ v: V, rv: 1 }), `encoded start key empty (version ${V})`],
    [encoded({ ...good, start: '../x' }), '../x'],
    [encoded({ ...good, start: '.' }), '.'],
    [encoded({ ...good, start: 'a//b' }), 'a//b'],
    [encoded({ ...good, start: 'a/../b' }), 'a/../b'],
  ];
  for (const [token, outcome] of rows) {
    it(`${token}: ${outcome}`, () => {
      try {
        const { revision, start } = decodeContinue(token, V);
        assert.equal(`${revision} ${start}`, outcome);
      } catch (error) {
        assert.equal((error as Error).message, `invalid continue token: continue key is not valid: ${outcome}`);
        assert.equal((error as { code?: number }).code, 400);
      }
    });
  }
});
