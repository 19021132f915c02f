import assert from 'node:assert/strict';
import type { FlowSchema, PolicyRulesWithSubjects } from '#schema/generated/flowcontrol.apiserver.v1beta2.ts';
import { type AskedFor, distinguisher, inOrder, readSchema } from './flow-schemas.ts';

const user = (name: string, ...groups: string[]) => ({ name, uid: '', groups, extra: {} });
const everything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const schema = (rule: PolicyRulesWithSubjects, more = {}): FlowSchema => ({
  metadata: { name: 's' },
  spec: { priorityLevelConfiguration: { name: 'l' }, matchingPrecedence: 5, rules: [rule], ...more },
});
const asked = (of: Partial<AskedFor> = {}): AskedFor => ({
  isResource: true,
  verb: 'get',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'a',
  path: '/api/v1/namespaces/a/pods/x',
  ...of,
});
const path = (text: string) => asked({ isResource: false, path: text, resource: '', namespace: '' });

describe('a flow schema', () => {
  for (const [what, subject, who, expected] of [
    ['a user', { kind: 'User', user: { name: 'u' } }, user('u'), true],
    ['another user', { kind: 'User', user: { name: 'u' } }, user('v'), false],
    ['all users', { kind: 'User', user: { name: '*' } }, user('v'), true],
    ['a group', { kind: 'Group', group: { name: 'g' } }, user('u', 'f', 'g'), true],
    ['another group', { kind: 'Group', group: { name: 'g' } }, user('g', 'f'), false],
    [
      'an account',
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: 'a' } },
      user('system:serviceaccount:n:a'),
      true,
    ],
    [
      'another account',
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: 'a' } },
      user('system:serviceaccount:n:b'),
      false,
    ],
    [
      'all accounts of a namespace',
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } },
      user('system:serviceaccount:n:b'),
      true,
    ],
    [
      'those of another namespace',
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } },
      user('system:serviceaccount:nn:b'),
      false,
    ],
  ] as const)
    it(`${expected ? 'is' : 'is not'} about ${what}`, () => {
      const of = readSchema(schema({ subjects: [subject], ...everything }));
      assert.equal(of.rulesFor(who)?.(asked()) ?? false, expected);
    });

  const rule = { verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods', 'nodes/status'] };
  for (const [what, of, scope, expected] of [
    ['a resource in all namespaces', {}, { namespaces: ['*'] }, true],
    ['one in a namespace', {}, { namespaces: ['a', 'b'] }, true],
    ['one in another namespace', {}, { namespaces: ['b'] }, false],
    ['one across namespaces', { namespace: '' }, { namespaces: ['*'] }, false],
    ['one without a namespace', { namespace: '' }, { clusterScope: true }, true],
    ['another verb', { verb: 'create' }, { namespaces: ['*'] }, false],
    ['another group', { group: 'batch' }, { namespaces: ['*'] }, false],
    ['a subresource of it', { subresource: 'status' }, { namespaces: ['*'] }, false],
    ['a subresource', { resource: 'nodes', subresource: 'status', namespace: '' }, { clusterScope: true }, true],
  ] as const)
    it(`${expected ? 'is' : 'is not'} about ${what}`, () => {
      const namespaces = 'namespaces' in scope ? [...scope.namespaces] : [];
      const resourceRules = [{ ...rule, ...scope, namespaces }];
      const subjects = [{ kind: 'User', user: { name: '*' } }];
      assert.equal(readSchema(schema({ subjects, resourceRules })).rulesFor(user('u'))?.(asked(of)), expected);
    });

  for (const [url, of, expected] of [
    ['/healthz', '/healthz', true],
    ['/healthz', '/healthz/etcd', false],
    ['/healthz/*', '/healthz/etcd', true],
    ['/healthz/*', '/healthz', false],
    ['*', '/anything', true],
  ] as const)
    it(`with ${url} ${expected ? 'is' : 'is not'} about ${of}`, () => {
      const subjects = [{ kind: 'User', user: { name: '*' } }];
      const matches = readSchema(
        schema({ subjects, nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [url] }] }),
      ).rulesFor(user('u'));
      assert.equal(matches?.(path(of)), expected);
    });

  it('is asked before those of a higher precedence, and of a later name', () => {
    const named = (name: string, matchingPrecedence: number) =>
      readSchema({ ...schema({ subjects: [] }, { matchingPrecedence }), metadata: { name } });
    const order = inOrder([named('c', 2), named('b', 10), named('a', 10), named('d', 1)]);
    assert.deepEqual(
      order.map(({ name }) => name),
      ['d', 'c', 'a', 'b'],
    );
  });

  it('tells flows apart as it says', () => {
    const by = (type?: string) =>
      distinguisher(
        readSchema(schema({ subjects: [] }, type && { distinguisherMethod: { type } })),
        user('u'),
        asked(),
      );
    assert.deepEqual([by('ByUser'), by('ByNamespace'), by()], ['u', 'a', '']);
  });
});
