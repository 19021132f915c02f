import assert from 'node:assert/strict';
import type { ClusterRole, RoleBinding } from '#schema/generated/rbac.authorization.v1.ts';
import { reconcileBinding, reconcileRole } from './reconcile.ts';

const metadata = { name: 'r', labels: { kind: 'default' }, annotations: { auto: 'true' } };
const bootstrap = { name: 'r', labels: { kind: 'default' }, annotations: { auto: 'true' } };
const get = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const list = { verbs: ['list'], apiGroups: [''], resources: ['pods'] };

describe('reconcileRole', () => {
  it('keeps a role that has all required rights and more', () => {
    const there: ClusterRole = { metadata, rules: [{ verbs: ['*'], apiGroups: [''], resources: ['pods'] }] };
    assert.deepEqual(reconcileRole(there, { ...bootstrap, rules: [get] }), { action: 'keep' });
  });

  it('adds missing rules and labels', () => {
    const own = { labels: { own: 'x' }, annotations: { auto: 'other' } };
    const there: ClusterRole = { metadata: { name: 'r', ...own }, rules: [list] };
    assert.deepEqual(reconcileRole(there, { ...bootstrap, rules: [get] }), {
      action: 'update',
      object: {
        metadata: { name: 'r', labels: { kind: 'default', own: 'x' }, annotations: { auto: 'other' } },
        rules: [list, get],
      },
    });
  });

  it('adds missing selectors', () => {
    const selector = { matchLabels: { to: 'admin' } };
    const wanted = { ...bootstrap, aggregationRule: { clusterRoleSelectors: [selector] } };
    const there: ClusterRole = { metadata, rules: [get] };
    assert.deepEqual(reconcileRole(there, wanted), {
      action: 'update',
      object: { ...there, aggregationRule: { clusterRoleSelectors: [selector] } },
    });
  });
});

describe('reconcileBinding', () => {
  const roleRef = { apiGroup: 'g', kind: 'ClusterRole', name: 'r' };
  const wanted = { ...bootstrap, roleRef, subjects: [{ kind: 'User', name: 'jane' }] };
  const there: RoleBinding = { metadata, roleRef, subjects: [{ kind: 'User', name: 'joe' }] };

  it('adds missing subjects', () => {
    assert.deepEqual(reconcileBinding(there, wanted), {
      action: 'update',
      object: { ...there, subjects: [...there.subjects!, ...wanted.subjects] },
    });
    assert.deepEqual(reconcileBinding({ ...there, subjects: wanted.subjects }, wanted), { action: 'keep' });
  });

  it('replaces a binding to another role', () => {
    const elsewhere = { ...there, roleRef: { ...roleRef, name: 'other' } };
    assert.deepEqual(reconcileBinding(elsewhere, wanted), { action: 'replace' });
  });
});
