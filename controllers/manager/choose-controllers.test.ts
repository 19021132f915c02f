import assert from 'node:assert/strict';
import type { Controller } from '../controller.ts';
import { controllers as ours } from '../index.ts';
import { chooseControllers } from './choose-controllers.ts';

const all = [{ name: 'a' }, { name: 'b' }, { name: 'off', offByDefault: true }] as unknown as Controller[];

describe('--controllers', () => {
  for (const [given, chosen] of [
    ['', 'a b'],
    ['*', 'a b'],
    ['b', 'b'],
    ['*,off', 'a b off'],
    ['off', 'off'],
    ['*,-a', 'b'],
    ['a,-a', ''],
    ['-b', ''],
    ['a, b', 'a b'],
    ['*,deployment', 'a b'],
  ] as const)
    it(`chooses "${chosen}" for "${given}"`, () => {
      const { controllers } = chooseControllers(all, given.split(','));
      assert.equal(controllers.map(({ name }) => name).join(' '), chosen);
    });

  it('includes the controllers of bootstrap tokens only if they are named', () => {
    const chosen = (given: string) => chooseControllers(ours, given.split(',')).controllers.map(({ name }) => name);
    const usual = chosen('*');
    assert.ok(usual.includes('csrsigning'));
    assert.deepEqual(
      chosen('*,tokencleaner,bootstrapsigner')
        .filter((name) => !usual.includes(name))
        .sort(),
      ['bootstrapsigner', 'tokencleaner'],
    );
  });

  it('warns about controllers that this manager does not have and refuses unknown names', () => {
    assert.match(chooseControllers(all, ['*', 'deployment']).warnings[0]!, /does not have the controller deployment/);
    assert.throws(() => chooseControllers(all, ['nonsense']), /there is no controller "nonsense": they are a, b, off/);
  });
});
