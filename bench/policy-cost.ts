import type { Client } from './client.ts';
import { repeat } from './measure.ts';

/** How much policy there is. */
export const POLICY_SIZE = 2000;

/** One of this many bindings also names the group. */
const GROUP_SHARE = 100;

/** Stores {@link POLICY_SIZE} roles in a namespace, each bound to one user, and some to a group. */
export async function storePolicy(client: Client, path: string, group: string): Promise<void> {
  const apiGroup = path.split('/')[2];
  await repeat(POLICY_SIZE, async (n) => {
    const name = `role-${n}`;
    const resources = n % GROUP_SHARE === GROUP_SHARE - 1 ? ['pods'] : ['configmaps', `things-${n}`];
    await client.call('POST', `${path}/roles`, {
      body: { metadata: { name }, rules: [{ apiGroups: [''], resources, verbs: ['get', 'list'] }] },
    });
    const subjects = [{ kind: 'User', apiGroup, name: `user-${n}` }];
    if (n % GROUP_SHARE === 0 || n === POLICY_SIZE - 1) subjects.push({ kind: 'Group', apiGroup, name: group });
    await client.call('POST', `${path}/rolebindings`, {
      body: { metadata: { name }, roleRef: { apiGroup, kind: 'Role', name }, subjects },
    });
  });
}
