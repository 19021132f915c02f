import assert from 'node:assert/strict';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import { masked } from './mask.ts';

function object(kind: string, data: Record<string, string>): ApiObject {
  return asObject({ apiVersion: 'v1', kind, metadata: { name: 'x' }, data });
}

describe('masking a secret in a diff', () => {
  it('shows only which values differ, even if the secret exists on only one side', () => {
    const [old, now] = [
      { a: 'MQ==', b: 'Mg==', c: 'Mw==' },
      { a: 'MQ==', b: 'NA==', d: 'NQ==' },
    ];
    const [before, after] = [object('Secret', old), object('Secret', now)];
    assert.deepEqual(masked({ before, after }), {
      before: object('Secret', { a: '***', b: '*** (before)', c: '***' }),
      after: object('Secret', { a: '***', b: '*** (after)', d: '***' }),
    });
    const hidden = object('Secret', { a: '***', b: '***', c: '***' });
    assert.deepEqual(masked({ before }), { before: hidden, after: undefined });
    assert.deepEqual(masked({ after: before }), { before: undefined, after: hidden });
    const others = { before: object('ConfigMap', old), after: object('ConfigMap', now) };
    assert.deepEqual(masked(others), others);
  });
});
