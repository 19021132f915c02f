import { type Conversations, is, names, type Turn } from '../conversation.ts';
import {
  as,
  bind,
  bindAll,
  clusterRole,
  GROUP,
  group,
  MAPS,
  MERGE,
  map,
  may,
  NS,
  RBAC,
  role,
  SECRETS,
  user,
} from './access-requests.ts';

export const RULES: Conversations = {
  'a request that no rule allows is refused with 403': [['GET /api/v1/nodes', 403, 'forbidden', as('x')]],
  'get, list and watch of secrets show their contents': [
    [`POST ${SECRETS}`, 201, [], { body: { metadata: { name: 'told' }, stringData: { a: 'value' } } }],
    role('lists', may(['list'], ['secrets'])),
    bind('lists', 'Role/lists', user('lists')),
    [`GET ${SECRETS}`, 200, Buffer.from('value').toString('base64'), as('lists')],
  ],
  'a role holds rules in a namespace': [
    role('in-default', may(['get'], ['configmaps'])),
    bind('in-default', 'Role/in-default', user('r1')),
    [`GET ${MAPS}/seen`, 200, [], as('r1')],
    ['GET /api/v1/namespaces/orch-public/configmaps/x', 403, [], as('r1')],
  ],
  'a cluster role holds rules for the cluster': [
    clusterRole('nodes', may(['list'], ['nodes'])),
    bindAll('nodes', 'nodes', user('r2')),
    ['GET /api/v1/nodes', 200, [], as('r2')],
  ],
  'a role binding names subjects and a role': [
    [
      `GET ${RBAC}/namespaces/default/rolebindings/in-default`,
      200,
      [is('subjects', [user('r1')]), is('roleRef', { kind: 'Role', name: 'in-default', apiGroup: GROUP })],
    ],
  ],
  'a cluster role binding names subjects and a cluster role': [
    [`GET ${RBAC}/clusterrolebindings/nodes`, 200, [is('subjects', [user('r2')]), is('roleRef.kind', 'ClusterRole')]],
    [
      `POST ${RBAC}/clusterrolebindings`,
      422,
      'roleRef.kind',
      { body: { metadata: { name: 'x' }, roleRef: { kind: 'Role', name: 'x', apiGroup: GROUP } } },
    ],
  ],
  'the core group is an empty text': [
    clusterRole('apps', { apiGroups: ['apps'], resources: ['configmaps'], verbs: ['get'] }),
    bindAll('apps', 'apps', user('r3')),
    [`GET ${MAPS}/seen`, 403, [], as('r3')],
  ],
  'resources are named as in URLs, sub-resources after a slash': [
    role('logs', may(['get'], ['pods/log'])),
    bind('logs', 'Role/logs', user('r4')),
    [`GET ${NS}/pods/nosuch/log`, 404, [], as('r4')],
    [`GET ${NS}/pods/nosuch`, 403, [], as('r4')],
  ],
  'a star matches all resources': [
    role('all', may(['get'], ['*'])),
    bind('all', 'Role/all', user('r5')),
    [`GET ${NS}/pods/nosuch/log`, 404, [], as('r5')],
    [`GET ${MAPS}/nosuch`, 404, [], as('r5')],
  ],
  'resource names limit to those objects': [
    role(
      'named',
      may(['get', 'list', 'watch', 'create', 'deletecollection'], ['configmaps'], { resourceNames: ['seen'] }),
    ),
    bind('named', 'Role/named', user('r6')),
    [`GET ${MAPS}/seen`, 200, [], as('r6')],
    [`GET ${MAPS}/other`, 403, [], as('r6')],
  ],
  'resource names cannot restrict create and deletecollection': [
    [`POST ${MAPS}`, 403, [], { ...map('seen'), ...as('r6') }],
    [`DELETE ${MAPS}`, 403, [], as('r6')],
  ],
  'a list with resource names needs a field selector for the name': [
    [`GET ${MAPS}`, 403, [], as('r6')],
    [`GET ${MAPS}?fieldSelector=metadata.name%3Dseen`, 200, names('seen'), as('r6')],
    [`GET ${MAPS}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dseen`, 200, '"seen"', as('r6')],
  ],
  'a star matches all verbs': [
    role('verbs', may(['*'], ['configmaps'])),
    bind('verbs', 'Role/verbs', user('r7')),
    [`POST ${MAPS}`, 201, [], { ...map('by-r7'), ...as('r7') }],
    [`DELETE ${MAPS}/by-r7`, 200, [], as('r7')],
  ],
  'a star at the end of a path matches all paths below': [
    clusterRole('paths', { nonResourceURLs: ['/logs/*'], verbs: ['get'] }),
    bindAll('paths', 'paths', user('r8')),
    ['GET /logs/x', 404, [], as('r8')],
    ['GET /metrics', 403, [], as('r8')],
  ],
  'permissions add up': [
    role('plus', may(['list'], ['configmaps'])),
    bind('plus', 'Role/plus', user('r1')),
    [`GET ${MAPS}`, 200, [], as('r1')],
    [`GET ${MAPS}/seen`, 200, [], as('r1')],
  ],
  'a cluster role is for the cluster, for all namespaces, or for other paths': [
    clusterRole('wide', may(['get'], ['configmaps', 'nodes']), { nonResourceURLs: ['/metrics'], verbs: ['get'] }),
    bindAll('wide', 'wide', user('r9')),
    [`GET ${MAPS}/seen`, 200, [], as('r9')],
    ['GET /api/v1/namespaces/orch-public/configmaps/nosuch', 404, [], as('r9')],
    ['GET /api/v1/nodes/nosuch', 404, [], as('r9')],
    ['GET /metrics', 200, [], as('r9')],
  ],
  'subjects are users, groups and service accounts': [
    role('subjects', may(['get'], ['configmaps'])),
    bind('subjects', 'Role/subjects', user('s1'), group('g1'), {
      kind: 'ServiceAccount',
      name: 'robot',
      namespace: 'default',
    }),
    [`GET ${MAPS}/seen`, 200, [], as('s1')],
    [`GET ${MAPS}/seen`, 200, [], as('anybody', 'g1')],
    [`GET ${MAPS}/seen`, 200, [], as('system:serviceaccount:default:robot')],
    [
      `POST ${RBAC}/namespaces/default/rolebindings`,
      422,
      'subjects[0].kind',
      {
        body: {
          metadata: { name: 'x' },
          subjects: [{ kind: 'Robot', name: 'x' }],
          roleRef: { kind: 'Role', name: 'x', apiGroup: GROUP },
        },
      },
    ],
  ],
  'names of subjects are case-sensitive': [[`GET ${MAPS}/seen`, 403, [], as('S1')]],
  'a role reference names a kind, a name and a group': [
    [
      `POST ${RBAC}/namespaces/default/rolebindings`,
      422,
      'roleRef.kind',
      { body: { metadata: { name: 'x' }, roleRef: { kind: 'Group', name: 'x', apiGroup: GROUP } } },
    ],
    [
      `POST ${RBAC}/namespaces/default/rolebindings`,
      422,
      'roleRef.name',
      { body: { metadata: { name: 'x' }, roleRef: { kind: 'Role', apiGroup: GROUP } } },
    ],
    [
      `POST ${RBAC}/namespaces/default/rolebindings`,
      422,
      'roleRef.apiGroup',
      { body: { metadata: { name: 'x' }, roleRef: { kind: 'Role', name: 'x', apiGroup: 'x' } } },
    ],
  ],
  'a cluster role in a role binding applies only in its namespace': [
    clusterRole('reads', may(['get', 'list'], ['configmaps'])),
    bind('reads', 'ClusterRole/reads', user('r10')),
    [`GET ${MAPS}/seen`, 200, [], as('r10')],
    ['GET /api/v1/namespaces/orch-public/configmaps', 403, [], as('r10')],
    ['GET /api/v1/configmaps', 403, [], as('r10')],
  ],
  'a role reference cannot be changed': [
    [
      `PATCH ${RBAC}/namespaces/default/rolebindings/reads`,
      422,
      'cannot change roleRef',
      { headers: MERGE, body: { roleRef: { kind: 'ClusterRole', name: 'edit', apiGroup: GROUP } } },
    ],
  ],
  'admin, edit and view are aggregated by labels': ['admin', 'edit', 'view'].map(
    (name): Turn => [
      `GET ${RBAC}/clusterroles/${name}`,
      200,
      `"matchLabels":{"rbac.authorization.orch.io/aggregate-to-${name}":"true"}`,
    ],
  ),
  'wildcards also grant resources that are defined later': [
    [
      `POST /apis/apiextensions.orch.io/v1/customresourcedefinitions`,
      201,
      [],
      {
        body: {
          metadata: { name: 'lates.example.com' },
          spec: {
            group: 'example.com',
            scope: 'Namespaced',
            names: { plural: 'lates', singular: 'late', kind: 'Late' },
            versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
          },
        },
      },
    ],
    clusterRole('star', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }),
    [
      `POST /apis/authorization.orch.io/v1/subjectaccessreviews`,
      201,
      is('status.allowed', false),
      {
        body: {
          spec: { user: 'r11', resourceAttributes: { verb: 'invent', group: 'example.com', resource: 'lates' } },
        },
      },
    ],
    bindAll('star', 'star', user('r11')),
    [
      `POST /apis/authorization.orch.io/v1/subjectaccessreviews`,
      201,
      is('status.allowed', true),
      {
        body: {
          spec: { user: 'r11', resourceAttributes: { verb: 'invent', group: 'example.com', resource: 'lates' } },
        },
      },
    ],
  ],
};
