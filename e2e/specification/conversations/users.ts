import assert from 'node:assert/strict';
import { type Conversations, is } from '../conversation.ts';
import { as, bind, group, MAPS, map, may, NS, RBAC, role, SECRETS } from './access-requests.ts';

const TOKEN_REVIEWS = '/apis/authentication.orch.io/v1/tokenreviews';

export const USERS: Conversations = {
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
