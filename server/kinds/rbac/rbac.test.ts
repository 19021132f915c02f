import assert from 'node:assert/strict';
import { KindTester } from '../testing/kind-tester.ts';
import { clusterRoleBinding, roleBinding } from './bindings.ts';
import { clusterRole, role } from './roles.ts';

const VERSION = 'rbac.authorization.v1';
const roles = new KindTester(role, VERSION, 'Role');
const clusterRoles = new KindTester(clusterRole, VERSION, 'ClusterRole');
const bindings = new KindTester(roleBinding, VERSION, 'RoleBinding');
const clusterBindings = new KindTester(clusterRoleBinding, VERSION, 'ClusterRoleBinding');
const fields = (lines: string[]) => lines.map((line) => line.slice(0, line.indexOf(': ')));

describe('a Role or ClusterRole', () => {
  it('can contain non-resource URLs only if it is a ClusterRole', () => {
    const paths = { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] };
    assert.deepEqual(fields(roles.errors(paths)), ['rules[0].nonResourceURLs']);
    assert.deepEqual(clusterRoles.errors(paths), []);
    const nothing = ['rules[0].verbs', 'rules[0].apiGroups', 'rules[0].resources'];
    assert.deepEqual(fields(roles.errors({ rules: [{}] })), nothing);
  });

  it('can aggregate other roles by valid selectors', () => {
    const path = 'aggregationRule.clusterRoleSelectors';
    assert.deepEqual(fields(clusterRoles.errors({ aggregationRule: {} })), [path]);
    const of = (selector: object) => clusterRoles.errors({ aggregationRule: { clusterRoleSelectors: [selector] } });
    const whole = `${path}[0]: Invalid value: "null": invalid label selector.`;
    assert.deepEqual(of({ matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] }), []);
    assert.deepEqual(of({ matchExpressions: [{ key: 'a', operator: 'Odd' }] }), [
      `${path}[0].matchExpressions[0].operator: Invalid value: "Odd": not a valid selector operator`,
      whole,
    ]);
    assert.deepEqual(of({ matchExpressions: [{ key: 'a', operator: 'In' }] }), [
      `${path}[0].matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
      whole,
    ]);
    assert.deepEqual(of({ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] }), [
      `${path}[0].matchExpressions[0].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
      whole,
    ]);
    // Values are compared only as a whole.
    assert.deepEqual(of({ matchExpressions: [{ key: 'a', operator: 'In', values: ['b!'] }] }), [whole]);
  });
});

describe('a RoleBinding or ClusterRoleBinding', () => {
  const group = bindings.naming.group('rbac.authorization');

  it('gets the RBAC group as default group of its role and subjects', () => {
    const subjects = [
      { kind: 'User', name: 'u' },
      { kind: 'ServiceAccount', name: 's' },
    ];
    const { roleRef, subjects: found } = bindings.created({ roleRef: { kind: 'Role', name: 'r' }, subjects });
    assert.equal(roleRef.apiGroup, group);
    assert.deepEqual(
      found?.map(({ apiGroup }) => apiGroup),
      [group, undefined],
    );
  });

  it('needs a valid role and valid subjects', () => {
    const subjects = [
      { kind: 'ServiceAccount', name: 'Bad' },
      { kind: 'Robot', name: '' },
    ];
    const errors = clusterBindings.errors({ roleRef: { kind: 'Role', name: 'a/b' }, subjects });
    assert.deepEqual(fields(errors), [
      'roleRef.kind',
      'roleRef.name',
      'subjects[0].name',
      'subjects[0].namespace',
      'subjects[1].name',
      'subjects[1].kind',
    ]);
  });

  it('shows its subjects in tables', () => {
    const subjects = [
      { kind: 'User', name: 'u' },
      { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      { kind: 'ServiceAccount', name: 't' },
    ];
    const row = bindings.cells({ roleRef: { kind: 'Role', name: 'r' }, subjects });
    assert.deepEqual(row, ['x', 'Role/r', '<unknown>', 'u', '', 'n/s, /t']);
  });

  it('cannot change its role', () => {
    const ref = (name: string) => ({ roleRef: { kind: 'Role', name } });
    assert.deepEqual(bindings.updateErrors(ref('a'), ref('a')), []);
    assert.deepEqual(fields(bindings.updateErrors(ref('a'), ref('b'))), ['roleRef']);
  });
});
