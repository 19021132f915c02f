import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { grantOf, type MissingRight } from './missing-right.ts';

const right: MissingRight = {
  user: 'jane',
  verb: 'get',
  path: '',
  resource: 'pods/log',
  group: '',
  namespace: 'shop',
  name: 'web',
};

const naming = createNaming('kubernetes');
const group = naming.group('rbac.authorization');

const IN_NAMESPACE = `apiVersion: ${group}/v1
kind: Role
metadata:
  name: get-pods-log
  namespace: shop
rules:
- apiGroups:
  - ""
  resourceNames:
  - web
  resources:
  - pods/log
  verbs:
  - get
---
apiVersion: ${group}/v1
kind: RoleBinding
metadata:
  name: get-pods-log
  namespace: shop
roleRef:
  apiGroup: ${group}
  kind: Role
  name: get-pods-log
subjects:
- apiGroup: ${group}
  kind: User
  name: jane
`;

const cases: readonly [what: string, right: Partial<MissingRight>, has: RegExp, not: RegExp][] = [
  ['for many objects', { verb: 'list' }, /- list\n {2}- watch/, /resourceNames/],
  ['for the whole cluster', { namespace: '' }, /kind: ClusterRoleBinding/, /namespace:/],
  ['for a path', { path: '/metrics', namespace: '' }, /nonResourceURLs:\n {2}- \/metrics/, /apiGroups/],
  [
    'for a service account',
    { user: 'system:serviceaccount:shop:robot' },
    /- kind: ServiceAccount\n {2}name: robot\n {2}namespace: shop/,
    /kind: User/,
  ],
  ['for a user whose name needs quotes', { user: 'a: b\n- c' }, /name: \|-\n|name: "a: b\\n- c"/, /^- c/m],
];

describe('grantOf a missing permission', () => {
  it('returns a role and a binding with only this permission in the namespace', () =>
    assert.equal(grantOf(right, naming), IN_NAMESPACE));

  for (const [what, more, has, not] of cases)
    it(what, () => {
      const yaml = grantOf({ ...right, ...more }, naming);
      assert.match(yaml, has);
      assert.doesNotMatch(yaml, not);
    });
});
