import assert from 'node:assert/strict';
import { check, type Delay, type Law, type Write } from './check.ts';

describe('laws of controllers', () => {
  let second = 0;
  const write = (by: string, more: Partial<Write> = {}): Write => {
    const at = ++second * 1000;
    return { by, at, answered: at + 500, verb: 'update', what: 'x/n/a', code: 200, bound: true, ...more };
  };
  const lease = (by: string, holder = by) => write(by, { what: 'leases/n/l', holder, bound: false });

  const cases: [about: string, writes: () => Write[], broken: Law[], delays?: Delay[]][] = [
    ['one after the other', () => [lease('a'), write('a'), lease('b'), write('b'), lease('a'), write('a')], []],
    ['a lease that is given up', () => [lease('a'), write('a'), lease('a', ''), lease('b'), write('b')], []],
    ['one that goes on', () => [lease('a'), write('a'), lease('b'), write('a')], ['alone']],
    ['one that never led', () => [lease('a'), write('b')], ['alone']],
    ['one that is refused', () => [lease('a'), lease('b'), write('a', { code: 409 })], []],
    ['one that was held up', () => [lease('a'), lease('b'), write('a')], [], [{ by: 'a', from: 2500, until: 4000 }]],
    [
      'one that was held up at another time',
      () => [lease('a'), lease('b'), write('a')],
      ['alone'],
      [{ by: 'a', from: 0, until: 2900 }],
    ],
    ['one that came while the lease was being taken', () => [lease('a'), lease('b'), write('a', { at: 2400 })], []],
    ['a change that does not say of what', () => [lease('a'), write('a', { bound: false })], ['decided']],
    ['a create, which cannot', () => [lease('a'), write('a', { verb: 'create', bound: false })], []],
    ['signatures', () => [lease('a'), write('a', { signs: 'u' }), write('a', { signs: 'v' })], []],
    ['two signatures', () => [lease('a'), write('a', { signs: 'u' }), write('a', { signs: 'u' })], ['once']],
    ['a refused one', () => [lease('a'), write('a', { signs: 'u', code: 409 }), write('a', { signs: 'u' })], []],
  ];
  for (const [about, writes, broken, delays = []] of cases)
    it(`${broken.length > 0 ? 'refuses' : 'accepts'} ${about}`, () => {
      second = 0;
      assert.deepEqual(
        check(writes(), delays).map(({ law }) => law),
        broken,
      );
    });
});
