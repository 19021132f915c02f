import type { Conversations, Turn } from '../conversation.ts';
import { bind, group, MAPS, may, role, SECRETS, token } from './access-requests.ts';

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

export const BOOTSTRAP: Conversations = {
  'a bootstrap token has six and sixteen letters or digits around a dot, and is stored in a secret': [
    bootstrap('abcdef', { description: 'for trying out' }),
    [`GET ${MAPS}`, 403, 'User \\"system:bootstrap:abcdef\\" cannot list', { token: token('abcdef') }],
    [`GET ${MAPS}`, 401, [], { token: 'abcde.0123456789abcdef' }],
    [`GET ${MAPS}`, 401, [], { token: 'ABCDEF.0123456789abcdef' }],
  ],
  'the user of a bootstrap token is in the group system:bootstrappers': [
    role('joining', may(['list'], ['configmaps'])),
    bind('joining', 'Role/joining', group('system:bootstrappers')),
    [`GET ${MAPS}`, 200, [], { token: token('abcdef') }],
  ],
  'auth-extra-groups adds groups to the user of a bootstrap token': [
    bootstrap('groups', { 'auth-extra-groups': 'system:bootstrappers:extra' }),
    role('extra', may(['list'], ['secrets'])),
    bind('extra', 'Role/extra', group('system:bootstrappers:extra')),
    [`GET ${SECRETS}`, 200, [], { token: token('groups') }],
    [`GET ${SECRETS}`, 403, [], { token: token('abcdef') }],
  ],
  'an expired bootstrap token is refused': [
    bootstrap('ended1', { expiration: '2020-01-01T00:00:00Z' }),
    [`GET ${MAPS}`, 401, [], { token: token('ended1') }],
    bootstrap('lasts1', { expiration: '2099-01-01T00:00:00Z' }),
    [`GET ${MAPS}`, 200, [], { token: token('lasts1') }],
  ],
  'a bootstrap token without usage-bootstrap-authentication is refused': [
    bootstrap('signs1', { 'usage-bootstrap-authentication': 'false', 'usage-bootstrap-signing': 'true' }),
    [`GET ${MAPS}`, 401, [], { token: token('signs1') }],
  ],
};
