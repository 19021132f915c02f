import { type Conversations, lacks, type Turn } from '../conversation.ts';
import { HOOKS, rule, webhook } from './admission-requests.ts';

/** A dry run of a webhook that the server refuses or accepts. The server stores neither. */
const tried = (more: object, status: number, says: Turn[2] = []): Turn => [
  `POST ${HOOKS}/mutatingwebhookconfigurations?dryRun=All`,
  status,
  says,
  { body: { metadata: { name: 'tried' }, webhooks: [webhook(more)] } },
];

export const FIELDS: Conversations = {
  'a webhook needs a name': [tried({ name: undefined }, 422, 'webhooks[0].name')],
  'names of webhooks are unique within a configuration': [
    [
      `POST ${HOOKS}/validatingwebhookconfigurations?dryRun=All`,
      422,
      'webhooks[1].name: Duplicate value',
      { body: { metadata: { name: 'twice' }, webhooks: [webhook(), webhook()] } },
    ],
  ],
  'operations of a rule are CREATE, UPDATE, DELETE, CONNECT or a star': [
    tried({ rules: [rule({ operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] })] }, 201),
    tried({ rules: [rule({ operations: ['*'] })] }, 201),
    tried({ rules: [rule({ operations: ['READ'] })] }, 422, 'webhooks[0].rules[0].operations[0]'),
    tried({ rules: [rule({ operations: [] })] }, 422, 'webhooks[0].rules[0].operations'),
  ],
  'a rule names groups, versions and resources': [
    tried({ rules: [rule({ apiGroups: [] })] }, 422, 'webhooks[0].rules[0].apiGroups'),
    tried({ rules: [rule({ apiVersions: [] })] }, 422, 'webhooks[0].rules[0].apiVersions'),
    tried({ rules: [rule({ resources: [] })] }, 422, 'webhooks[0].rules[0].resources'),
  ],
  'the scope of a rule is Cluster, Namespaced or a star, which is the default': [
    ...['Cluster', 'Namespaced', '*'].map((scope) => tried({ rules: [rule({ scope })] }, 201, `"scope":"${scope}"`)),
    tried({ rules: [rule({ scope: 'Local' })] }, 422, 'webhooks[0].rules[0].scope'),
    tried({ rules: [rule()] }, 201, '"scope":"*"'),
  ],
  'matchPolicy is Exact or Equivalent, which is the default': [
    tried({ matchPolicy: 'Exact' }, 201, '"matchPolicy":"Exact"'),
    tried({ matchPolicy: 'Near' }, 422, 'webhooks[0].matchPolicy'),
    tried({}, 201, '"matchPolicy":"Equivalent"'),
  ],
  'clientConfig is needed, and has either a URL or a service': [
    tried({ clientConfig: undefined }, 422, 'webhooks[0].clientConfig'),
    tried(
      { clientConfig: { url: 'https://x', service: { namespace: 'n', name: 's' } } },
      422,
      'webhooks[0].clientConfig',
    ),
    tried({ clientConfig: { service: { namespace: 'n', name: 's' } } }, 201),
  ],
  'a URL uses https, and has no user, fragment or query': [
    tried({ clientConfig: { url: 'http://x' } }, 422, 'clientConfig.url'),
    tried({ clientConfig: { url: 'https://u:p@x' } }, 422, 'clientConfig.url'),
    tried({ clientConfig: { url: 'https://x#f' } }, 422, 'clientConfig.url'),
    tried({ clientConfig: { url: 'https://x?q=1' } }, 422, 'clientConfig.url'),
    tried({ clientConfig: { url: 'https://x/path' } }, 201),
  ],
  'a CA bundle may be a placeholder until another program replaces it': [
    tried({ clientConfig: { url: 'https://x', caBundle: 'Cg==' } }, 201, '"caBundle":"Cg=="'),
  ],
  'a service needs namespace and name; its port is 443 and its path / by default': [
    tried({ clientConfig: { service: { name: 's' } } }, 422, 'clientConfig.service'),
    tried({ clientConfig: { service: { namespace: 'n' } } }, 422, 'clientConfig.service'),
    tried({ clientConfig: { service: { namespace: 'n', name: 's' } } }, 201, '"port":443'),
    tried({ clientConfig: { service: { namespace: 'n', name: 's', port: 0 } } }, 422, 'clientConfig.service.port'),
  ],
  'admissionReviewVersions are needed, and name v1 or v1beta1': [
    tried({ admissionReviewVersions: undefined }, 422, 'webhooks[0].admissionReviewVersions'),
    tried({ admissionReviewVersions: ['v3'] }, 422, 'must include at least one of v1, v1beta1'),
    tried({ admissionReviewVersions: ['v1beta1'] }, 201),
  ],
  'sideEffects are needed, and None or NoneOnDryRun': [
    tried({ sideEffects: undefined }, 422, 'webhooks[0].sideEffects'),
    tried({ sideEffects: 'Some' }, 422, 'webhooks[0].sideEffects'),
    tried({ sideEffects: 'NoneOnDryRun' }, 201),
  ],
  'timeoutSeconds is from 1 to 30, and 10 by default': [
    tried({ timeoutSeconds: 0 }, 422, 'webhooks[0].timeoutSeconds'),
    tried({ timeoutSeconds: 31 }, 422, 'webhooks[0].timeoutSeconds'),
    tried({ timeoutSeconds: 30 }, 201),
    tried({}, 201, '"timeoutSeconds":10'),
  ],
  'failurePolicy is Ignore or Fail, which is the default': [
    tried({ failurePolicy: 'Ignore' }, 201),
    tried({ failurePolicy: 'Try' }, 422, 'webhooks[0].failurePolicy'),
    tried({}, 201, '"failurePolicy":"Fail"'),
  ],
  'reinvocationPolicy of mutating webhooks is Never (the default) or IfNeeded': [
    tried({ reinvocationPolicy: 'IfNeeded' }, 201),
    tried({ reinvocationPolicy: 'Always' }, 422, 'webhooks[0].reinvocationPolicy'),
    tried({}, 201, '"reinvocationPolicy":"Never"'),
    [
      `POST ${HOOKS}/validatingwebhookconfigurations?dryRun=All`,
      201,
      lacks('reinvocationPolicy'),
      { body: { metadata: { name: 'v' }, webhooks: [webhook({ reinvocationPolicy: 'Never' })] } },
    ],
  ],
};
