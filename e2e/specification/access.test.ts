import assert from 'node:assert/strict';
import { aroundAll } from '#server/testing/around-all.ts';
import type { TestReplica } from '#server/testing/replica.ts';
import { converse } from './conversation.ts';
import { GROUP, may, NS, RBAC } from './conversations/access-requests.ts';
import { BOOTSTRAP } from './conversations/bootstrap-tokens.ts';
import { SIGNING } from './conversations/certificate-signing.ts';
import { IMPERSONATION } from './conversations/impersonation.ts';
import { RULES } from './conversations/rbac-rules.ts';
import { ACCOUNTS } from './conversations/service-accounts.ts';
import { USERS } from './conversations/users.ts';

describe('the specification: access control', () => {
  let replica: TestReplica;
  aroundAll((started) => {
    replica = started;
  });
  for (const conversations of [USERS, BOOTSTRAP, ACCOUNTS, IMPERSONATION, RULES, SIGNING])
    converse(() => replica, conversations);
  it('a service account token is accepted in the Authorization header', async () => {
    const { json } = await replica.call('POST', `${NS}/serviceaccounts/robot/token`, { body: { spec: {} } });
    const answer = await replica.call('GET', '/api/v1/nodes', { token: json.status.token });
    assert.equal(answer.status, 403);
    assert.match(answer.json.message, /User "system:serviceaccount:default:robot" cannot list/);
  });
  it('the config map cluster-info can be read without authentication', async () => {
    const all = '/api/v1/namespaces/orch-public/configmaps';
    const read = () => replica.call('GET', `${all}/cluster-info`, { token: '' });
    assert.equal((await read()).status, 403);
    const body = { metadata: { name: 'cluster-info' }, data: { kubeconfig: 'apiVersion: v1' } };
    assert.equal((await replica.call('POST', all, { body })).status, 201);
    // The server grants the right soon after the map exists. If it does not, mocha's time limit ends the test.
    while ((await read()).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal((await replica.call('GET', all, { token: '' })).status, 403);
  });
  const impersonators: readonly (readonly [what: string, rule: object, headers: Record<string, string>])[] = [
    ['users', may(['impersonate'], ['users']), { 'Impersonate-User': 'jane' }],
    ['groups', may(['impersonate'], ['groups']), { 'Impersonate-Group': 'dev' }],
    [
      'accounts',
      may(['impersonate'], ['serviceaccounts']),
      { 'Impersonate-User': 'system:serviceaccount:default:bot' },
    ],
    [
      'extra values',
      { apiGroups: ['authentication.orch.io'], resources: ['userextras/scopes'], verbs: ['impersonate'] },
      { 'Impersonate-Extra-Scopes': 'x' },
    ],
    [
      'uids',
      { apiGroups: ['authentication.orch.io'], resources: ['uids'], verbs: ['impersonate'] },
      { 'Impersonate-Uid': 'u' },
    ],
  ];
  for (const [what, rule, headers] of impersonators)
    it(`impersonation needs a permission for ${what}`, async () => {
      const name = `imp-${what.replace(' ', '-')}`;
      const make = async (path: string, body: object) => {
        const made = await replica.call('POST', path, { body });
        assert.ok([201, 409].includes(made.status), made.text);
      };
      await make(`${NS}/serviceaccounts`, { metadata: { name } });
      const { json } = await replica.call('POST', `${NS}/serviceaccounts/${name}/token`, { body: { spec: {} } });
      const subjects = [{ kind: 'ServiceAccount', name, namespace: 'default' }];
      const roleRef = (role: string) => ({ kind: 'ClusterRole', name: role, apiGroup: GROUP });
      // Groups and other values also need the right to impersonate a user.
      await make(`${RBAC}/clusterroles`, {
        metadata: { name: 'imp-jane' },
        rules: [may(['impersonate'], ['users'], { resourceNames: ['jane'] })],
      });
      if (what !== 'users')
        await make(`${RBAC}/clusterrolebindings`, {
          metadata: { name: `${name}-jane` },
          subjects,
          roleRef: roleRef('imp-jane'),
        });
      const ask = () =>
        replica.call('GET', '/version', {
          token: json.status.token,
          headers: { 'Impersonate-User': 'jane', ...headers },
        });
      assert.equal((await ask()).status, 403);
      // Rights in one namespace are not enough.
      await make(`${RBAC}/clusterroles`, { metadata: { name }, rules: [rule] });
      await make(`${RBAC}/namespaces/default/rolebindings`, { metadata: { name }, subjects, roleRef: roleRef(name) });
      if (what !== 'accounts') assert.equal((await ask()).status, 403);
      await make(`${RBAC}/clusterrolebindings`, { metadata: { name }, subjects, roleRef: roleRef(name) });
      assert.equal((await ask()).status, 200);
    });
});
