import type { Conversations } from '../conversation.ts';
import { as, bind, group, MAPS, may, role } from './access-requests.ts';

/** A user of another name. */
const impersonated = (more: Record<string, string>) => ({ headers: more });

export const IMPERSONATION: Conversations = {
  'impersonation authenticates the caller, checks its permission, then uses the other user': [
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
