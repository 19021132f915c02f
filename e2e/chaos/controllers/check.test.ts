import assert from 'node:assert/strict';
import { check, type Fall, type Harm, type Law, transitionsIn, type Write } from './check.ts';

describe('laws for controllers', () => {
  let second = 0;
  const write = (by: string, more: Partial<Write> = {}): Write => {
    const at = ++second * 1000;
    return { by, at, answered: at + 500, verb: 'update', what: 'x/n/a', code: 200, bound: true, ...more };
  };
  const lease = (by: string, holder = by) => write(by, { what: 'leases/n/l', holder, bound: false });

  const bind = (by: string, pod: string, code = 201) =>
    write(by, { verb: 'create', what: `pods/n/${pod}/binding`, code });

  const held = (by: string, from: number, until: number): Partial<Harm> => ({ delays: [{ by, from, until }] });
  const fell = (by: string, from: number, until: number): Partial<Harm> => {
    const fall: Fall = { by, how: 'killed', from, until };
    return { falls: [fall] };
  };

  const cases: [about: string, writes: () => Write[], broken: Law[], harm?: Partial<Harm>][] = [
    [
      'leaders that write one after the other',
      () => [lease('a'), write('a'), lease('b'), write('b'), lease('a'), write('a')],
      [],
    ],
    ['a leader that releases its lease', () => [lease('a'), write('a'), lease('a', ''), lease('b'), write('b')], []],
    ['a former leader that continues to write', () => [lease('a'), write('a'), lease('b'), write('a')], ['alone']],
    ['an instance that writes but never led', () => [lease('a'), write('b')], ['alone']],
    ['a former leader whose write is refused', () => [lease('a'), lease('b'), write('a', { code: 409 })], []],
    [
      'a former leader whose write was delayed on the network',
      () => [lease('a'), lease('b'), write('a')],
      [],
      held('a', 2500, 4000),
    ],
    [
      'a former leader whose write was delayed at another time',
      () => [lease('a'), lease('b'), write('a')],
      ['alone'],
      held('a', 0, 2900),
    ],
    ['a write that arrives while the lease is taken', () => [lease('a'), lease('b'), write('a', { at: 2400 })], []],
    ['a change without a uid or version precondition', () => [lease('a'), write('a', { bound: false })], ['decided']],
    ['a create, which has no precondition', () => [lease('a'), write('a', { verb: 'create', bound: false })], []],
    ['different signatures', () => [lease('a'), write('a', { signs: 'u' }), write('a', { signs: 'v' })], []],
    ['bindings of different pods', () => [lease('a'), bind('a', 'p'), bind('a', 'q')], []],
    ['a pod that is bound twice', () => [lease('a'), bind('a', 'p'), lease('b'), bind('b', 'p')], ['bound']],
    ['a second binding that is refused', () => [lease('a'), bind('a', 'p'), bind('a', 'p', 409)], []],
    ['the same signature twice', () => [lease('a'), write('a', { signs: 'u' }), write('a', { signs: 'u' })], ['once']],
    [
      'a crash of a leader that another instance follows',
      () => [lease('a'), lease('b'), lease('a')],
      [],
      fell('a', 1800, 2800),
    ],
    [
      'a crash of a leader that no instance follows',
      () => [lease('a'), lease('a'), lease('b')],
      ['followed'],
      fell('a', 1800, 2800),
    ],
    ['a crash of an instance that does not lead', () => [lease('a'), lease('b')], ['followed'], fell('c', 1800, 2800)],
    [
      'a repeated signature after a refused one',
      () => [lease('a'), write('a', { signs: 'u', code: 409 }), write('a', { signs: 'u' })],
      [],
    ],
  ];
  for (const [about, writes, broken, { delays = [], falls = [] } = {}] of cases)
    it(`${broken.length > 0 ? 'refuses' : 'accepts'} ${about}`, () => {
      second = 0;
      assert.deepEqual(
        check(writes(), { delays, falls }).map(({ law }) => law),
        broken,
      );
    });

  it('counts how often the lease changes its holder', () => {
    second = 0;
    const writes = [
      lease('a'),
      lease('a'),
      write('a'),
      lease('a', ''),
      lease('b'),
      lease('c'),
      lease('c', ''),
      lease('c'),
    ];
    assert.equal(transitionsIn(writes), 2);
  });
});
