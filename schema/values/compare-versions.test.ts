import assert from 'node:assert/strict';
import { compareVersions } from './compare-versions.ts';

describe('compareVersions', () => {
  it('sorts stable versions first, later versions before earlier ones, and other names last', () => {
    const preferred = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo1', 'foo10'];
    const shuffled = [...preferred].sort((a, b) => (a.at(-1)! < b.at(-1)! ? -1 : 1));
    assert.deepEqual(shuffled.sort(compareVersions), preferred);
  });

  it('compares numbers with any count of digits', () => {
    assert.ok(compareVersions('v99999999999999999999', 'v99999999999999999998') < 0);
    assert.equal(compareVersions('v1', 'v1'), 0);
  });
});
