import { type Conversations, is } from '../conversation.ts';

const AUTHORIZATION = '/apis/authorization.orch.io/v1';
const attributes = { verb: 'get', resource: 'secrets', namespace: 'default', name: 'x', group: '' };

export const REVIEWS: Conversations = {
  'a SubjectAccessReview is about any user': [
    [
      `POST ${AUTHORIZATION}/subjectaccessreviews`,
      201,
      is('status.allowed', false),
      { body: { spec: { user: 'nobody', resourceAttributes: attributes } } },
    ],
    [
      `POST ${AUTHORIZATION}/subjectaccessreviews`,
      201,
      is('status.allowed', true),
      { body: { spec: { user: 'x', groups: ['system:masters'], resourceAttributes: attributes } } },
    ],
  ],
  'a SelfSubjectAccessReview is about the caller': [
    [
      `POST ${AUTHORIZATION}/selfsubjectaccessreviews`,
      201,
      is('status.allowed', true),
      { body: { spec: { resourceAttributes: attributes } } },
    ],
    [
      `POST ${AUTHORIZATION}/selfsubjectaccessreviews`,
      201,
      is('status.allowed', false),
      { body: { spec: { resourceAttributes: attributes } }, as: 'nobody' },
    ],
  ],
  'a LocalSubjectAccessReview is about its namespace': [
    [
      `POST ${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`,
      201,
      is('status.allowed', false),
      { body: { metadata: { namespace: 'default' }, spec: { user: 'nobody', resourceAttributes: attributes } } },
    ],
    [
      `POST ${AUTHORIZATION}/namespaces/orch-public/localsubjectaccessreviews`,
      422,
      'namespace',
      { body: { metadata: { namespace: 'orch-public' }, spec: { user: 'nobody', resourceAttributes: attributes } } },
    ],
  ],
  'a SelfSubjectRulesReview lists what the caller may do in a namespace': [
    [
      `POST ${AUTHORIZATION}/selfsubjectrulesreviews`,
      201,
      ['"resourceRules":[', '"nonResourceRules":[', '"verbs":["*"]'],
      { body: { spec: { namespace: 'default' } } },
    ],
  ],
  'the groups of a review are a list in spec.groups': [
    [
      `POST ${AUTHORIZATION}/subjectaccessreviews`,
      400,
      'groups',
      { body: { spec: { groups: 'system:masters', resourceAttributes: attributes } } },
    ],
    [
      `POST ${AUTHORIZATION}/subjectaccessreviews?fieldValidation=Strict`,
      400,
      'spec.group',
      { body: { spec: { group: ['x'], resourceAttributes: attributes } } },
    ],
  ],
};
