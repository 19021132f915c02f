import assert from 'node:assert/strict';
import fc from 'fast-check';
import { StatusError } from '#base/errors/status-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { anyText } from '../testing/any-text.ts';
import { requestedImpersonation } from './impersonation.ts';
import { makeRequest } from './testing/make-request.ts';

const naming = createNaming('orch');
const group = naming.group('authentication');
type Wanted = Parameters<typeof makeRequest>[0];
const ask = (headers: Wanted) => requestedImpersonation(makeRequest(headers).headers, naming);
const authenticated = 'system:authenticated';

describe('impersonation', () => {
  const users: [what: string, headers: Wanted, groups: string[]][] = [
    ['a user without group headers', { 'impersonate-user': 'jane' }, [authenticated]],
    ['the first of several users', { 'impersonate-user': ['jane', 'joe'] }, [authenticated]],
    [
      'several groups, in order',
      { 'impersonate-user': 'jane', 'impersonate-group': ['g2', 'g1', 'g2'] },
      ['g2', 'g1', 'g2', authenticated],
    ],
    ['an empty group', { 'impersonate-user': 'jane', 'impersonate-group': '' }, ['', authenticated]],
    [
      'a user who already has system:authenticated',
      { 'impersonate-user': 'jane', 'impersonate-group': [authenticated, 'z'] },
      [authenticated, 'z'],
    ],
    [
      'a user in system:unauthenticated',
      { 'impersonate-user': 'jane', 'impersonate-group': 'system:unauthenticated' },
      ['system:unauthenticated'],
    ],
    [
      'a service account',
      { 'impersonate-user': 'system:serviceaccount:a:b' },
      ['system:serviceaccounts', 'system:serviceaccounts:a', authenticated],
    ],
    [
      'a service account with group headers',
      { 'impersonate-user': 'system:serviceaccount:a:b', 'impersonate-group': 'g1' },
      ['g1', authenticated],
    ],
    ['an invalid service account', { 'impersonate-user': 'system:serviceaccount:Bad_NS:b' }, [authenticated]],
    ['a name that is not a service account', { 'impersonate-user': 'system:serviceaccount:a:b:c' }, [authenticated]],
    ['the anonymous user', { 'impersonate-user': 'system:anonymous' }, ['system:unauthenticated']],
    [
      'the anonymous user in a group',
      { 'impersonate-user': 'system:anonymous', 'impersonate-group': 'g1' },
      ['g1', 'system:unauthenticated'],
    ],
  ];
  for (const [what, headers, groups] of users)
    it(`adds the right groups for ${what}`, () => assert.deepEqual(ask(headers)?.user.groups, groups));

  it('reads UID and extra fields', () => {
    const { user } = ask({
      'impersonate-user': 'jane',
      'impersonate-uid': 'u1',
      'impersonate-extra-example.com%2fproject': 'p',
      'impersonate-extra-scopes': ['a', 'b'],
      'impersonate-extra-': 'v',
      'impersonate-extra': 'not one',
      'impersonate-other': 'not either',
    })!;
    assert.equal(user.uid, 'u1');
    assert.deepEqual(user.extra, { 'example.com/project': ['p'], scopes: ['a', 'b'], '': ['v'] });
  });

  it('returns all permissions that the caller needs', () => {
    const core = { group: '', version: 'v1', subresource: '', namespace: '' };
    assert.deepEqual(
      ask({
        'impersonate-user': 'jane',
        'impersonate-group': 'g1',
        'impersonate-uid': 'u1',
        'impersonate-extra-k': ['1', '2'],
      })?.checks,
      [
        { ...core, resource: 'users', name: 'jane' },
        { ...core, resource: 'groups', name: 'g1' },
        { ...core, group, resource: 'userextras', subresource: 'k', name: '1' },
        { ...core, group, resource: 'userextras', subresource: 'k', name: '2' },
        { ...core, group, resource: 'uids', name: 'u1' },
      ],
    );
    assert.deepEqual(ask({ 'impersonate-user': 'system:serviceaccount:a:b' })?.checks, [
      { ...core, resource: 'serviceaccounts', namespace: 'a', name: 'b' },
    ]);
  });

  it('is not requested by an empty user or by other headers', () => {
    assert.equal(ask({ 'impersonate-user': '' }), undefined);
    assert.equal(ask({ 'impersonate-other': 'x' }), undefined);
    assert.equal(ask({}), undefined);
  });

  it('is refused without a user', () => {
    for (const headers of [
      { 'impersonate-group': 'g' },
      { 'impersonate-uid': 'x' },
      { 'impersonate-extra-k': 'v' },
      { 'impersonate-user': '', 'impersonate-group': 'g' },
    ])
      assert.throws(
        () => ask(headers),
        (error) => error instanceof StatusError && error.code === 400,
      );
  });

  it('requires a permission for everything it grants, for any headers', () => {
    const names = fc.constantFrom(
      'impersonate-user',
      'impersonate-group',
      'impersonate-uid',
      'impersonate-extra-a%2',
      'impersonate-extra-__proto__',
    );
    const headers = fc.dictionary(names, fc.array(anyText(), { maxLength: 3 }));
    fc.assert(
      fc.property(headers, (some) => {
        try {
          const found = ask(some);
          if (found === undefined) return;
          assert.ok(['users', 'serviceaccounts'].includes(found.checks[0]!.resource));
          const asked = found.checks.filter(({ resource }) => resource === 'groups').length;
          assert.equal(asked, some['impersonate-group']?.length ?? 0);
        } catch (error) {
          if (!(error instanceof StatusError)) throw error;
        }
      }),
    );
  });
});
