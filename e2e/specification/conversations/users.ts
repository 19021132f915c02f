import assert from 'node:assert/strict';
import { type Conversations, is } from '../conversation.ts';
import { as, bind, group, MAPS, map, may, NS, RBAC, role, SECRETS } from './access-requests.ts';

const TOKEN_REVIEWS = '/apis/authentication.orch.io/v1/tokenreviews';

export const USERS: Conversations = {
  'users are not objects and cannot be created': [
    ['GET /api/v1/users', 404],
    ['POST /api/v1/users', 404, [], map('jane')],
    ['GET /api/v1/groups', 404],
  ],
  'service accounts are namespaced objects': [
    [`POST ${NS}/serviceaccounts`, 201, is('metadata.namespace', 'default'), map('robot')],
  ],
  'a client certificate of the CA authenticates': [['GET /api/v1/secrets', 200]],
  'a request without credentials is from the anonymous user in system:unauthenticated': [
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
  'anonymous users do not have the permissions of all authenticated users': [
    role('for-users', may(['get'], ['secrets'])),
    bind('for-users', 'Role/for-users', group('system:authenticated')),
    [`POST ${SECRETS}`, 201, [], map('s')],
    [`GET ${SECRETS}/s`, 200, [], as('jane')],
    [`GET ${SECRETS}/s`, 403, [], { token: '' }],
  ],
  'authenticated users are in the group system:authenticated': [
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
  'a service account is in the group of all service accounts and in the one of its namespace': [
    [`POST ${NS}/serviceaccounts/bot/token`, 201, [], { body: { spec: {} }, keep: { token: 'status.token' } }],
    [
      `POST ${TOKEN_REVIEWS}`,
      201,
      is('status.user.groups', ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated']),
      { body: { spec: { token: '{token}' } } },
    ],
  ],
};
