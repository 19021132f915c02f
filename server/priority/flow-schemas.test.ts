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

describe('a FlowSchema', () => {
  for (const [what, subject, who, expected] of [
    ['a user', { kind: 'User', user: { name: 'u' } }, user('u'), true],
    ['another user', { kind: 'User', user: { name: 'u' } }, user('v'), false],
    ['all users', { kind: 'User', user: { name: '*' } }, user('v'), true],
    ['a group', { kind: 'Group', group: { name: 'g' } }, user('u', 'f', 'g'), true],
    ['another group', { kind: 'Group', group: { name: 'g' } }, user('g', 'f'), false],
    [
      'a service account',
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: 'a' } },
      user('system:serviceaccount:n:a'),
      true,
    ],
    [
      'another service account',
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: 'a' } },
      user('system:serviceaccount:n:b'),
      false,
    ],
    [
      'all service accounts of a namespace',
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } },
      user('system:serviceaccount:n:b'),
      true,
    ],
    [
      'service accounts of another namespace',
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } },
      user('system:serviceaccount:nn:b'),
      false,
    ],
  ] as const)
    it(`${expected ? 'matches' : 'does not match'} ${what}`, () => {
      const of = readSchema(schema({ subjects: [subject], ...everything }));
      assert.equal(of.rulesFor(who)?.(asked()) ?? false, expected);
    });

  const rule = { verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods', 'nodes/status'] };
  for (const [what, of, scope, expected] of [
    ['a resource in all namespaces', {}, { namespaces: ['*'] }, true],
    ['a resource in a namespace', {}, { namespaces: ['a', 'b'] }, true],
    ['a resource in another namespace', {}, { namespaces: ['b'] }, false],
    ['a request across all namespaces', { namespace: '' }, { namespaces: ['*'] }, false],
    ['a cluster-scoped request', { namespace: '' }, { clusterScope: true }, true],
    ['another verb', { verb: 'create' }, { namespaces: ['*'] }, false],
    ['another group', { group: 'batch' }, { namespaces: ['*'] }, false],
    ['a subresource that the rule does not contain', { subresource: 'status' }, { namespaces: ['*'] }, false],
    [
      'a subresource that the rule contains',
      { resource: 'nodes', subresource: 'status', namespace: '' },
      { clusterScope: true },
      true,
    ],
  ] as const)
    it(`${expected ? 'matches' : 'does not match'} ${what}`, () => {
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
    it(`with ${url} ${expected ? 'matches' : 'does not match'} ${of}`, () => {
      const subjects = [{ kind: 'User', user: { name: '*' } }];
      const matches = readSchema(
        schema({ subjects, nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [url] }] }),
      ).rulesFor(user('u'));
      assert.equal(matches?.(path(of)), expected);
    });

  it('is ordered by precedence, then by name', () => {
    const named = (name: string, matchingPrecedence: number) =>
      readSchema({ ...schema({ subjects: [] }, { matchingPrecedence }), metadata: { name } });
    const order = inOrder([named('c', 2), named('b', 10), named('a', 10), named('d', 1)]);
    assert.deepEqual(
      order.map(({ name }) => name),
      ['d', 'c', 'a', 'b'],
    );
  });

  it('distinguishes flows by user, by namespace or not at all', () => {
    const by = (type?: string) =>
      distinguisher(
        readSchema(schema({ subjects: [] }, type && { distinguisherMethod: { type } })),
        user('u'),
        asked(),
      );
    assert.deepEqual([by('ByUser'), by('ByNamespace'), by()], ['u', 'a', '']);
  });
});
