import assert from 'node:assert/strict';
import { resourceAttributes } from '../api/attributes.ts';
import { alwaysAllow } from './always-allow.ts';
import { alwaysDeny } from './always-deny.ts';
import { type Authorizer, type Decision, joinErrors, masters, union } from './authorizer.ts';

const says = (decision: Decision): Authorizer => ({ ...alwaysDeny, authorize: () => decision });
const user = (...groups: string[]) => ({ name: 'jane', uid: '', groups, extra: {} });
const asked = resourceAttributes(user('dev'), { verb: 'get', resource: 'pods' });
const unsure = (reason: string, error?: string) =>
  says({ verdict: 'no-opinion', reason, ...(error === undefined ? {} : { error }) });
const denies = says({ verdict: 'deny', reason: 'never' });

describe('union', () => {
  const cases: [title: string, authorizers: Authorizer[], decision: Decision][] = [
    ['no authorizer', [], { verdict: 'no-opinion', reason: '' }],
    ['the first authorizer that allows', [unsure('a'), alwaysAllow, denies], { verdict: 'allow', reason: '' }],
    ['the first authorizer that denies', [unsure('a'), denies, alwaysAllow], { verdict: 'deny', reason: 'never' }],
    [
      'no authorizer, with the reasons of all',
      [unsure('a'), unsure(''), unsure('b')],
      { verdict: 'no-opinion', reason: 'a\nb' },
    ],
    [
      'no authorizer after a failure',
      [unsure('a', 'x'), unsure('b')],
      { verdict: 'no-opinion', reason: 'a\nb', error: 'x' },
    ],
    [
      'no authorizer after several failures',
      [unsure('', 'x'), unsure('', 'y')],
      { verdict: 'no-opinion', reason: '', error: '[x, y]' },
    ],
    ['an authorizer that allows after a failure', [unsure('', 'x'), alwaysAllow], { verdict: 'allow', reason: '' }],
    ['an authorizer that denies after a failure', [unsure('', 'x'), denies], { verdict: 'deny', reason: 'never' }],
    ['AlwaysDeny, which has no opinion', [alwaysDeny, alwaysAllow], { verdict: 'allow', reason: '' }],
  ];
  for (const [title, authorizers, decision] of cases) {
    it(`decides as ${title}`, async () => assert.deepEqual(await union(authorizers).authorize(asked), decision));
  }

  it('combines rules, and is incomplete if one authorizer is incomplete', () => {
    const partial: Authorizer = {
      ...alwaysDeny,
      rules: () => ({ resourceRules: [], nonResourceRules: [], incomplete: true, errors: ['cannot tell'] }),
    };
    const rules = union([partial, alwaysAllow]).rules(user(), 'default');
    assert.equal(rules.incomplete, true);
    assert.deepEqual(rules.errors, ['cannot tell']);
    assert.equal(rules.resourceRules.length, 1);
  });
});

describe('masters', () => {
  it('allows everything to system:masters', () => {
    assert.deepEqual(masters.authorize({ ...asked, user: user('system:masters') }), { verdict: 'allow', reason: '' });
    assert.deepEqual(masters.authorize(asked), { verdict: 'no-opinion', reason: '' });
  });
});

describe('joinErrors', () => {
  it('contains each error once', () => {
    assert.equal(joinErrors(['a', 'a']), 'a');
    assert.equal(joinErrors(['a', 'b', 'a']), '[a, b]');
  });
});
