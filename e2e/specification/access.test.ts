import assert from 'node:assert/strict';
import { makeRequest } from '#base/x509/testing/make-request.ts';
import { aroundAll } from '#server/testing/around-all.ts';
import { type TestReplica, testPki } from '#server/testing/replica.ts';
import { type Conversations, converse, is, lacks, names, type Says, type Turn } from './conversation.ts';

const NS = '/api/v1/namespaces/default';
const MAPS = `${NS}/configmaps`;
const SECRETS = `${NS}/secrets`;
const GROUP = 'rbac.authorization.orch.io';
const RBAC = `/apis/${GROUP}/v1`;
const REQUESTS = '/apis/certificates.orch.io/v1/certificatesigningrequests';
const TOKEN_REVIEWS = '/apis/authentication.orch.io/v1/tokenreviews';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const SIGNER = 'orch.io/orch-apiserver-client';

/** A user of another name. */
const impersonated = (more: Record<string, string>) => ({ headers: more });
const role = (name: string, ...rules: object[]): Turn => [
  `POST ${RBAC}/namespaces/default/roles`,
  201,
  [],
  { body: { metadata: { name }, rules } },
];
const clusterRole = (name: string, ...rules: object[]): Turn => [
  `POST ${RBAC}/clusterroles`,
  201,
  [],
  { body: { metadata: { name }, rules } },
];
const user = (name: string) => ({ kind: 'User', name, apiGroup: GROUP });
const group = (name: string) => ({ kind: 'Group', name, apiGroup: GROUP });
const bind = (name: string, to: string, ...subjects: object[]): Turn => [
  `POST ${RBAC}/namespaces/default/rolebindings`,
  201,
  [],
  {
    body: {
      metadata: { name },
      subjects,
      roleRef: { kind: to.split('/')[0], name: to.split('/')[1], apiGroup: GROUP },
    },
  },
];
const bindAll = (name: string, to: string, ...subjects: object[]): Turn => [
  `POST ${RBAC}/clusterrolebindings`,
  201,
  [],
  { body: { metadata: { name }, subjects, roleRef: { kind: 'ClusterRole', name: to, apiGroup: GROUP } } },
];
const may = (verbs: string[], resources: string[], more: object = {}) => ({
  apiGroups: [''],
  verbs,
  resources,
  ...more,
});
const as = (name: string, ...groups: string[]) => ({
  headers: { 'Impersonate-User': name, ...(groups.length === 0 ? {} : { 'Impersonate-Group': groups.join(',') }) },
});
const map = (name: string) => ({ body: { metadata: { name } } });

const USERS: Conversations = {
  'there are no objects for users, and none can be made': [
    ['GET /api/v1/users', 404],
    ['POST /api/v1/users', 404, [], map('jane')],
    ['GET /api/v1/groups', 404],
  ],
  'accounts of services are objects of namespaces': [
    [`POST ${NS}/serviceaccounts`, 201, is('metadata.namespace', 'default'), map('robot')],
  ],
  'a certificate of the authority authenticates': [['GET /api/v1/secrets', 200]],
  'a request without credentials is of the anonymous user, in his group': [
    [`GET ${MAPS}`, 403, 'User \\"system:anonymous\\" cannot list', { token: '' }],
    [
      `POST ${RBAC}/namespaces/default/roles`,
      201,
      [],
      { body: { metadata: { name: 'open' }, rules: [may(['get'], ['configmaps'])] } },
    ],
    bind('open', 'Role/open', group('system:unauthenticated')),
    [`POST ${MAPS}`, 201, [], map('seen')],
    [`GET ${MAPS}/seen`, 200, [], { token: '' }],
  ],
  'a request with an invalid token is 401, not anonymous': [
    [`GET ${MAPS}/seen`, 401, 'Unauthorized', { token: 'made-up' }],
  ],
  'what all users may do the anonymous may not': [
    role('for-users', may(['get'], ['secrets'])),
    bind('for-users', 'Role/for-users', group('system:authenticated')),
    [`POST ${SECRETS}`, 201, [], map('s')],
    [`GET ${SECRETS}/s`, 200, [], as('jane')],
    [`GET ${SECRETS}/s`, 403, [], { token: '' }],
  ],
  'users who are authenticated are in system:authenticated': [
    [`POST ${NS}/serviceaccounts/robot/token`, 201, [], { body: { spec: {} }, keep: { token: 'status.token' } }],
    [`POST ${TOKEN_REVIEWS}`, 201, '"system:authenticated"', { body: { spec: { token: '{token}' } } }],
  ],
  'a user has a name, a uid, groups and extra values': [
    [`POST ${NS}/serviceaccounts`, 201, [], { ...map('bot'), keep: { uid: 'metadata.uid' } }],
    [`POST ${NS}/serviceaccounts/bot/token`, 201, [], { body: { spec: {} }, keep: { token: 'status.token' } }],
    [
      `POST ${TOKEN_REVIEWS}`,
      201,
      [
        is('status.authenticated', true),
        is('status.user.username', 'system:serviceaccount:default:bot'),
        ({ json }) => assert.match(json.status.user.uid, /^[0-9a-f-]{36}$/),
      ],
      { body: { spec: { token: '{token}' } } },
    ],
  ],
  'an account is in the group of all accounts and in that of its namespace': [
    [`POST ${NS}/serviceaccounts/bot/token`, 201, [], { body: { spec: {} }, keep: { token: 'status.token' } }],
    [
      `POST ${TOKEN_REVIEWS}`,
      201,
      is('status.user.groups', ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated']),
      { body: { spec: { token: '{token}' } } },
    ],
  ],
};

const bootstrap = (id: string, more: Record<string, string> = {}): Turn => [
  'POST /api/v1/namespaces/orch-system/secrets',
  201,
  [],
  {
    body: {
      metadata: { name: `bootstrap-token-${id}` },
      type: 'bootstrap.orch.io/token',
      stringData: {
        'token-id': id,
        'token-secret': '0123456789abcdef',
        'usage-bootstrap-authentication': 'true',
        ...more,
      },
    },
  },
];
const token = (id: string) => `${id}.0123456789abcdef`;
const BOOTSTRAP: Conversations = {
  'a bootstrap token is six letters or digits, a dot and sixteen more, kept in a secret': [
    bootstrap('abcdef', { description: 'for trying out' }),
    [`GET ${MAPS}`, 403, 'User \\"system:bootstrap:abcdef\\" cannot list', { token: token('abcdef') }],
    [`GET ${MAPS}`, 401, [], { token: 'abcde.0123456789abcdef' }],
    [`GET ${MAPS}`, 401, [], { token: 'ABCDEF.0123456789abcdef' }],
  ],
  'its user is in system:bootstrappers': [
    role('joining', may(['list'], ['configmaps'])),
    bind('joining', 'Role/joining', group('system:bootstrappers')),
    [`GET ${MAPS}`, 200, [], { token: token('abcdef') }],
  ],
  'auth-extra-groups adds groups': [
    bootstrap('groups', { 'auth-extra-groups': 'system:bootstrappers:extra' }),
    role('extra', may(['list'], ['secrets'])),
    bind('extra', 'Role/extra', group('system:bootstrappers:extra')),
    [`GET ${SECRETS}`, 200, [], { token: token('groups') }],
    [`GET ${SECRETS}`, 403, [], { token: token('abcdef') }],
  ],
  'a token that has expired is refused': [
    bootstrap('ended1', { expiration: '2020-01-01T00:00:00Z' }),
    [`GET ${MAPS}`, 401, [], { token: token('ended1') }],
    bootstrap('lasts1', { expiration: '2099-01-01T00:00:00Z' }),
    [`GET ${MAPS}`, 200, [], { token: token('lasts1') }],
  ],
  'a token that is not for authentication is refused': [
    bootstrap('signs1', { 'usage-bootstrap-authentication': 'false', 'usage-bootstrap-signing': 'true' }),
    [`GET ${MAPS}`, 401, [], { token: token('signs1') }],
  ],
};

const POD = {
  spec: {
    containers: [
      { name: 'a', image: 'i' },
      { name: 'b', image: 'i' },
    ],
  },
};
const pod = (name: string, spec: object = {}): { body: object } => ({
  body: { metadata: { name }, spec: { ...POD.spec, ...spec } },
});
const MOUNT = '/var/run/secrets/orch.io/serviceaccount';
const projected =
  (path: string, wanted: unknown): Says =>
  ({ json, text }) => {
    const volume = json.spec.volumes.find(({ name }: { name: string }) => name.startsWith('orch-api-access-'));
    assert.deepEqual(
      path.split('.').reduce((from, step) => from?.[step], volume.projected),
      wanted,
      text,
    );
  };
const ACCOUNTS: Conversations = {
  'a pod has the account default where it names none': [
    [`POST ${NS}/serviceaccounts`, 201, [], map('default')],
    [`POST ${NS}/pods`, 201, is('spec.serviceAccountName', 'default'), pod('p')],
  ],
  'a pod of an account that is not there is refused': [
    [`POST ${NS}/pods`, 403, 'serviceaccount \\"ghost\\" not found', pod('g', { serviceAccountName: 'ghost' })],
  ],
  'a pod gets a volume with a token': [
    [`GET ${NS}/pods/p`, 200, ({ json }) => assert.match(json.spec.volumes[0].name, /^orch-api-access-[a-z0-9]{5}$/)],
  ],
  'it is mounted in all containers': [
    [
      `GET ${NS}/pods/p`,
      200,
      ({ json }) =>
        assert.deepEqual(
          json.spec.containers.map(
            ({ volumeMounts }: { volumeMounts: { mountPath: string }[] }) => volumeMounts[0]!.mountPath,
          ),
          [MOUNT, MOUNT],
        ),
    ],
  ],
  'no token where the pod or its account does not want it mounted': [
    [`POST ${NS}/pods`, 201, lacks('orch-api-access'), pod('without', { automountServiceAccountToken: false })],
    [
      `POST ${NS}/serviceaccounts`,
      201,
      [],
      { body: { metadata: { name: 'closed' }, automountServiceAccountToken: false } },
    ],
    [`POST ${NS}/pods`, 201, lacks('orch-api-access'), pod('closed', { serviceAccountName: 'closed' })],
  ],
  'pull secrets of the account are those of a pod without any': [
    [
      `POST ${NS}/serviceaccounts`,
      201,
      [],
      { body: { metadata: { name: 'pulls' }, imagePullSecrets: [{ name: 'registry' }] } },
    ],
    [
      `POST ${NS}/pods`,
      201,
      is('spec.imagePullSecrets', [{ name: 'registry' }]),
      pod('pulls', { serviceAccountName: 'pulls' }),
    ],
    [
      `POST ${NS}/pods`,
      201,
      is('spec.imagePullSecrets', [{ name: 'own' }]),
      pod('own', { serviceAccountName: 'pulls', imagePullSecrets: [{ name: 'own' }] }),
    ],
  ],
  'the volume is projected with the mode 420': [[`GET ${NS}/pods/p`, 200, projected('defaultMode', 420)]],
  'its token lasts 3607 seconds, at the path token': [
    [
      `GET ${NS}/pods/p`,
      200,
      projected('sources.0', { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }),
    ],
  ],
  'the authorities are a config map at the path ca.crt': [
    [
      `GET ${NS}/pods/p`,
      200,
      projected('sources.1', { configMap: { name: 'orch-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } }),
    ],
  ],
  'the namespace is a field of the pod at the path namespace': [
    [
      `GET ${NS}/pods/p`,
      200,
      projected('sources.2', {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      }),
    ],
  ],
  'a token request gives a signed JWT': [
    [
      `POST ${NS}/serviceaccounts/default/token`,
      201,
      ({ json }) => assert.match(json.status.token, /^[\w-]+\.[\w-]+\.[\w-]+$/),
      { body: { spec: {} } },
    ],
  ],
};

const IMPERSONATION: Conversations = {
  'the caller is authenticated, then asked for the right, then another user': [
    [`GET ${MAPS}`, 401, [], { token: 'made-up', headers: { 'Impersonate-User': 'jane' } }],
    [
      `GET ${MAPS}`,
      403,
      'User \\"system:anonymous\\" cannot impersonate',
      { token: '', headers: { 'Impersonate-User': 'jane' } },
    ],
    [`GET ${MAPS}`, 403, 'User \\"jane\\" cannot list', as('jane')],
  ],
  'Impersonate-Group gives a group, and may be given again': [
    role('developers', may(['list'], ['configmaps'])),
    bind('developers', 'Role/developers', group('dev')),
    [`GET ${MAPS}`, 200, [], as('jane', 'dev')],
    [`GET ${MAPS}`, 403, [], as('jane', 'ops')],
  ],
  'a group needs a user': [[`GET ${MAPS}`, 400, [], impersonated({ 'Impersonate-Group': 'dev' })]],
  'extra values need a user': [[`GET ${MAPS}`, 400, [], impersonated({ 'Impersonate-Extra-scopes': 'x' })]],
  'a uid needs a user': [[`GET ${MAPS}`, 400, [], impersonated({ 'Impersonate-Uid': 'x' })]],
};
const RULES: Conversations = {
  'what nothing allows is refused with 403': [['GET /api/v1/nodes', 403, 'forbidden', as('x')]],
  'get, list and watch of secrets show what they hold': [
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
  'the group of the core is the empty text': [
    clusterRole('apps', { apiGroups: ['apps'], resources: ['configmaps'], verbs: ['get'] }),
    bindAll('apps', 'apps', user('r3')),
    [`GET ${MAPS}/seen`, 403, [], as('r3')],
  ],
  'resources are named as in URLs, sub-resources behind a slash': [
    role('logs', may(['get'], ['pods/log'])),
    bind('logs', 'Role/logs', user('r4')),
    [`GET ${NS}/pods/nosuch/log`, 404, [], as('r4')],
    [`GET ${NS}/pods/nosuch`, 403, [], as('r4')],
  ],
  'a star is all resources': [
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
  'a list by resource names needs the selector of the name': [
    [`GET ${MAPS}`, 403, [], as('r6')],
    [`GET ${MAPS}?fieldSelector=metadata.name%3Dseen`, 200, names('seen'), as('r6')],
    [`GET ${MAPS}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dseen`, 200, '"seen"', as('r6')],
  ],
  'a star is all verbs': [
    role('verbs', may(['*'], ['configmaps'])),
    bind('verbs', 'Role/verbs', user('r7')),
    [`POST ${MAPS}`, 201, [], { ...map('by-r7'), ...as('r7') }],
    [`DELETE ${MAPS}/by-r7`, 200, [], as('r7')],
  ],
  'a star at the end of a path is any path below': [
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
  'subjects are users, groups and accounts': [
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
  'a cluster role in a role binding counts in its namespace alone': [
    clusterRole('reads', may(['get', 'list'], ['configmaps'])),
    bind('reads', 'ClusterRole/reads', user('r10')),
    [`GET ${MAPS}/seen`, 200, [], as('r10')],
    ['GET /api/v1/namespaces/orch-public/configmaps', 403, [], as('r10')],
    ['GET /api/v1/configmaps', 403, [], as('r10')],
  ],
  'a role reference stays': [
    [
      `PATCH ${RBAC}/namespaces/default/rolebindings/reads`,
      422,
      'cannot change roleRef',
      { headers: MERGE, body: { roleRef: { kind: 'ClusterRole', name: 'edit', apiGroup: GROUP } } },
    ],
  ],
  'admin, edit and view are gathered by labels': ['admin', 'edit', 'view'].map(
    (name): Turn => [
      `GET ${RBAC}/clusterroles/${name}`,
      200,
      `"matchLabels":{"rbac.authorization.orch.io/aggregate-to-${name}":"true"}`,
    ],
  ),
  'wildcards also grant what is defined later': [
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

const signing = (name: string, more: object = {}) => ({
  body: {
    metadata: { name },
    spec: { request: makeRequest({ subject: [['CN', 'jane']] }), signerName: SIGNER, usages: ['client auth'], ...more },
  },
});
const condition = (type: string) => ({ conditions: [{ type, status: 'True', reason: 'R', message: 'm' }] });
const approve = (
  name: string,
  type: string,
  status: number,
  says: Says | readonly Says[] = [],
  more: object = {},
): Turn => [
  `PATCH ${REQUESTS}/${name}/approval`,
  status,
  says,
  { headers: MERGE, body: { status: condition(type) }, ...more },
];
const certificates = testPki().read('admin.crt');
const issue = (name: string, text: string, status: number, says: Says | readonly Says[] = []): Turn => [
  `PATCH ${REQUESTS}/${name}/status`,
  status,
  says,
  { headers: MERGE, body: { status: { certificate: Buffer.from(text).toString('base64') } } },
];
const SIGNING: Conversations = {
  'a request with request, signer and usages is pending': [[`POST ${REQUESTS}`, 201, is('status', {}), signing('r1')]],
  'a request needs a certificate request that can be read': [
    [`POST ${REQUESTS}`, 422, 'spec.request', signing('bad', { request: Buffer.from('x').toString('base64') })],
  ],
  'a request needs a signer': [
    [`POST ${REQUESTS}`, 422, 'spec.signerName', signing('bad', { signerName: undefined })],
    [`POST ${REQUESTS}`, 422, 'spec.signerName', signing('bad', { signerName: 'no-domain' })],
  ],
  'a request needs usages that are known, each once': [
    [`POST ${REQUESTS}`, 422, 'spec.usages', signing('bad', { usages: [] })],
    [`POST ${REQUESTS}`, 422, 'spec.usages[0]', signing('bad', { usages: ['juggling'] })],
    [`POST ${REQUESTS}`, 422, 'spec.usages[1]: Duplicate', signing('bad', { usages: ['client auth', 'client auth'] })],
  ],
  'a request lasts 600 seconds at least': [
    [`POST ${REQUESTS}`, 422, 'spec.expirationSeconds', signing('bad', { expirationSeconds: 599 })],
    [`POST ${REQUESTS}`, 201, [], signing('short', { expirationSeconds: 600 })],
  ],
  'a signer of old has no new requests': [
    [`POST ${REQUESTS}`, 422, 'spec.signerName', signing('bad', { signerName: 'orch.io/legacy-unknown' })],
  ],
  'a condition Approved by the approval sub-resource approves': [
    [`PATCH ${REQUESTS}/r1`, 200, is('status', {}), { headers: MERGE, body: { status: condition('Approved') } }],
    approve('r1', 'Approved', 200, is('status.conditions.0.type', 'Approved')),
  ],
  'a condition Denied by the approval sub-resource denies': [
    approve('short', 'Denied', 200, is('status.conditions.0.type', 'Denied')),
    approve('short', 'Approved', 422, []),
  ],
  'who decides needs the right to approve for the signer': [
    [`POST ${REQUESTS}`, 201, [], signing('r2')],
    clusterRole('approvers', {
      apiGroups: ['certificates.orch.io'],
      resources: ['certificatesigningrequests/approval'],
      verbs: ['patch', 'update'],
    }),
    bindAll('approvers', 'approvers', user('approver')),
    approve('r2', 'Approved', 403, 'not permitted to approve', {
      headers: { ...MERGE, 'Impersonate-User': 'approver' },
    }),
    clusterRole('approves', {
      apiGroups: ['certificates.orch.io'],
      resources: ['signers'],
      resourceNames: [SIGNER],
      verbs: ['approve'],
    }),
    bindAll('approves', 'approves', user('approver')),
    approve('r2', 'Approved', 200, [], { headers: { ...MERGE, 'Impersonate-User': 'approver' } }),
  ],
  'the signer writes the certificate by the status sub-resource': [
    [
      `PATCH ${REQUESTS}/r1`,
      200,
      ({ json }) => assert.equal(json.status.certificate, undefined),
      { headers: MERGE, body: { status: { certificate: Buffer.from(certificates).toString('base64') } } },
    ],
    issue('r1', certificates, 200, is('status.certificate', Buffer.from(certificates).toString('base64'))),
  ],
  'who signs needs the right to sign for the signer': [
    clusterRole('signers', {
      apiGroups: ['certificates.orch.io'],
      resources: ['certificatesigningrequests/status'],
      verbs: ['patch'],
    }),
    bindAll('signers', 'signers', user('signer')),
    [
      `PATCH ${REQUESTS}/r2/status`,
      403,
      'not permitted to sign',
      {
        headers: { ...MERGE, 'Impersonate-User': 'signer' },
        body: { status: { certificate: Buffer.from(certificates).toString('base64') } },
      },
    ],
    clusterRole('signs', {
      apiGroups: ['certificates.orch.io'],
      resources: ['signers'],
      resourceNames: [SIGNER],
      verbs: ['sign'],
    }),
    bindAll('signs', 'signs', user('signer')),
    [
      `PATCH ${REQUESTS}/r2/status`,
      200,
      [],
      {
        headers: { ...MERGE, 'Impersonate-User': 'signer' },
        body: { status: { certificate: Buffer.from(certificates).toString('base64') } },
      },
    ],
  ],
  'a certificate is PEM of CERTIFICATE blocks alone': [
    [`POST ${REQUESTS}`, 201, [], signing('r3')],
    issue('r3', 'x', 422, 'status.certificate'),
    issue('r3', certificates.replaceAll('CERTIFICATE', 'SOMETHING'), 422, 'status.certificate'),
  ],
  'a condition has a status, and there is one of each type': [
    [
      `PATCH ${REQUESTS}/r3/approval`,
      422,
      'status.conditions[0].status',
      { headers: MERGE, body: { status: { conditions: [{ type: 'Approved' }] } } },
    ],
    [
      `PATCH ${REQUESTS}/r3/approval`,
      422,
      'status.conditions[1].type',
      {
        headers: MERGE,
        body: { status: { conditions: [...condition('Approved').conditions, ...condition('Approved').conditions] } },
      },
    ],
  ],
  'no certificate for clients is asked for the group of masters': [
    [
      `POST ${REQUESTS}`,
      403,
      'system:masters',
      signing('bad', {
        request: makeRequest({
          subject: [
            ['O', 'system:masters'],
            ['CN', 'x'],
          ],
        }),
        signerName: 'orch.io/apiserver-client',
      }),
    ],
  ],
};

describe('the specification: who may do what', () => {
  let replica: TestReplica;

  aroundAll((started) => {
    replica = started;
  });

  for (const conversations of [USERS, BOOTSTRAP, ACCOUNTS, IMPERSONATION, RULES, SIGNING])
    converse(() => replica, conversations);

  it('a token of an account is taken in the Authorization header', async () => {
    const { json } = await replica.call('POST', `${NS}/serviceaccounts/robot/token`, { body: { spec: {} } });
    const answer = await replica.call('GET', '/api/v1/nodes', { token: json.status.token });
    assert.equal(answer.status, 403);
    assert.match(answer.json.message, /User "system:serviceaccount:default:robot" cannot list/);
  });

  it('the map of connection data is read without authentication', async () => {
    const all = '/api/v1/namespaces/orch-public/configmaps';
    const read = () => replica.call('GET', `${all}/cluster-info`, { token: '' });
    assert.equal((await read()).status, 403);
    const body = { metadata: { name: 'cluster-info' }, data: { kubeconfig: 'apiVersion: v1' } };
    assert.equal((await replica.call('POST', all, { body })).status, 201);
    // the server grants it soon after the map is there; mocha's limit ends a wait for ever
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
    it(`the right to impersonate is asked for: ${what}`, async () => {
      const name = `imp-${what.replace(' ', '-')}`;
      const make = async (path: string, body: object) => {
        const made = await replica.call('POST', path, { body });
        assert.ok([201, 409].includes(made.status), made.text);
      };
      await make(`${NS}/serviceaccounts`, { metadata: { name } });
      const { json } = await replica.call('POST', `${NS}/serviceaccounts/${name}/token`, { body: { spec: {} } });
      const subjects = [{ kind: 'ServiceAccount', name, namespace: 'default' }];
      const roleRef = (role: string) => ({ kind: 'ClusterRole', name: role, apiGroup: GROUP });
      // a user stands beside groups and other values
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
      // what a namespace grants does not count
      await make(`${RBAC}/clusterroles`, { metadata: { name }, rules: [rule] });
      await make(`${RBAC}/namespaces/default/rolebindings`, { metadata: { name }, subjects, roleRef: roleRef(name) });
      if (what !== 'accounts') assert.equal((await ask()).status, 403);
      await make(`${RBAC}/clusterrolebindings`, { metadata: { name }, subjects, roleRef: roleRef(name) });
      assert.equal((await ask()).status, 200);
    });
});
