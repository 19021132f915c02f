import assert from 'node:assert/strict';
import { StatusError } from '#base/errors/status-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import type { ClusterRole, PolicyRule, RoleBinding } from '#schema/generated/rbac.authorization.v1.ts';
import type { ObjectMeta } from '#schema/objects/api-object.ts';
import { roleKey } from './bindings-index.ts';
import { checkBindingWrite, checkRoleWrite, type EscalationContext } from './escalation.ts';

const naming = createNaming('orch');
const group = naming.group('rbac.authorization');
const carol = { name: 'carol', uid: '', groups: ['system:authenticated'], extra: {} };
const configMaps: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] };

/** A writer who holds some rules, and has some more permissions `verb resource/name`. */
function context(held: readonly PolicyRule[], may: readonly string[] = []): EscalationContext {
  const roleRef = { apiGroup: group, kind: 'Role', name: 'r' };
  const subject = { kind: 'User', name: 'carol' };
  return {
    naming,
    confirm: async () => {},
    decide: async ({ verb, resource, name }) => ({
      verdict: may.includes(`${verb} ${resource}/${name}`) ? 'allow' : 'no-opinion',
      reason: '',
    }),
    policy: {
      *grants() {
        const role = roleKey(roleRef, 'ns');
        yield { bound: { name: 'b', namespace: 'ns', subject, roleRef, role }, rules: held };
      },
      rules: ({ name }) =>
        name === 'strong'
          ? [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }]
          : name === 'weak'
            ? [configMaps]
            : undefined,
      missing: () => 'missing',
    },
  };
}

function role(rules: readonly PolicyRule[], more: Partial<ClusterRole> = {}, metadata: ObjectMeta = {}): ClusterRole {
  return { metadata: { namespace: 'ns', name: 'x', ...metadata }, rules: [...rules], ...more };
}

const writeRole = (held: EscalationContext, object: ClusterRole, old?: ClusterRole, user = carol) =>
  checkRoleWrite(held, { user, resource: 'roles', requestName: old === undefined ? '' : 'x', object, old });

/** Asserts a 403 that shows these rules. */
async function refused(write: Promise<void>, ...shown: string[]): Promise<void> {
  await assert.rejects(write, (error) => {
    assert.ok(error instanceof StatusError && error.code === 403);
    const intro =
      'user "carol" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:';
    assert.deepEqual(error.message.split('is forbidden: ')[1]?.split('\n'), [intro, ...shown]);
    return true;
  });
}

describe('the escalation check', () => {
  const grants: [what: string, rules: PolicyRule[], lacking: string[]][] = [
    ['rights that the writer has', [{ ...configMaps, verbs: ['get'] }], []],
    ['rights of the writer, limited to some names', [{ ...configMaps, resourceNames: ['x'] }], []],
    ['no rights', [], []],
    [
      'another verb',
      [{ ...configMaps, verbs: ['get', 'delete'] }],
      ['{APIGroups:[""], Resources:["configmaps"], Verbs:["delete"]}'],
    ],
    [
      'other resources',
      [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['secrets', 'pods'] }],
      [
        '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
      ],
    ],
    [
      'everything',
      [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      ['{APIGroups:["*"], Resources:["*"], Verbs:["*"]}'],
    ],
    [
      'a subresource',
      [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps/status'] }],
      ['{APIGroups:[""], Resources:["configmaps/status"], Verbs:["get"]}'],
    ],
    [
      'names in another group',
      [
        { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['a', 'b'] },
        { ...configMaps },
      ],
      [
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["a"], Verbs:["get"]}',
        '{APIGroups:["apps"], Resources:["deployments"], ResourceNames:["b"], Verbs:["get"]}',
      ],
    ],
    ['paths', [{ verbs: ['get'], nonResourceURLs: ['/x'] }], ['{NonResourceURLs:["/x"], Verbs:["get"]}']],
  ];
  for (const [what, rules, lacking] of grants)
    it(`of a role with ${what}`, async () => {
      const write = writeRole(context([configMaps]), role(rules));
      if (lacking.length === 0) await write;
      else await refused(write, ...lacking);
    });

  const secrets: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] };
  const shown = '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}';

  it('covers all rules of a changed role, but ignores changes that garbage collection makes', async () => {
    const old = role([secrets]);
    const held = context([configMaps]);
    await refused(writeRole(held, role([secrets], {}, { labels: { a: 'b' } }), old), shown);
    await writeRole(held, role([secrets], {}, { finalizers: ['x/y'], resourceVersion: '2', managedFields: [] }), old);
    await writeRole(held, role([configMaps]), old);
  });

  it('is skipped for system:masters and for users who may escalate', async () => {
    await writeRole(context([]), role([secrets]), undefined, { ...carol, groups: ['system:masters'] });
    const free = context([], ['escalate roles/x']);
    await writeRole(free, role([secrets]), role([]));
    await refused(writeRole(free, role([secrets])), shown);
    await writeRole(context([], ['escalate roles/']), role([secrets]));
  });

  it('requires all rights for aggregated roles', async () => {
    const all: PolicyRule[] = [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ];
    const aggregate = role([], { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } });
    const lacking = ['{APIGroups:["*"], Resources:["*"], Verbs:["*"]}', '{NonResourceURLs:["*"], Verbs:["*"]}'];
    await refused(writeRole(context([configMaps]), aggregate), ...lacking);
    await refused(writeRole(context([configMaps]), role([]), aggregate), ...lacking);
    await writeRole(context(all), aggregate);
  });

  describe('of a binding', () => {
    const binding = (name: string): RoleBinding => ({
      metadata: { namespace: 'ns', name: 'b' },
      roleRef: { apiGroup: group, kind: 'Role', name },
      subjects: [{ kind: 'User', name: 'bob' }],
    });
    const bind = (held: EscalationContext, name: string) =>
      checkBindingWrite(held, {
        user: carol,
        resource: 'rolebindings',
        requestName: '',
        object: binding(name),
        old: undefined,
      });

    it('requires the rights of the role, or the permission to bind it', async () => {
      await bind(context([configMaps]), 'weak');
      await refused(bind(context([configMaps]), 'strong'), shown);
      await bind(context([configMaps], ['bind roles/strong']), 'strong');
      await refused(bind(context([configMaps], ['bind roles/other', 'escalate roles/']), 'strong'), shown);
    });

    it('requires that the role exists, unless the user may bind it', async () => {
      await assert.rejects(
        bind(context([configMaps]), 'none'),
        (error) => error instanceof StatusError && error.message === `roles.${group} "none" not found`,
      );
      await bind(context([], ['bind roles/none']), 'none');
    });
  });

  it('is repeated on a newer state before it refuses', async () => {
    let held: PolicyRule[] = [];
    const late = context([]);
    const lagging: EscalationContext = {
      ...late,
      confirm: async () => {
        held = [secrets];
      },
      policy: {
        ...late.policy,
        *grants(user, namespace) {
          for (const grant of late.policy.grants(user, namespace)) yield { ...grant, rules: held };
        },
      },
    };
    await writeRole(lagging, role([secrets]));
  });
});
