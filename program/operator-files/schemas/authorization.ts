import { fields, filledText, list, oneOf, text, textLike, truth, versioned } from '../schema.ts';

const duration = textLike(/^(?=.)([0-9.]+(ns|us|µs|ms|s|m|h))+$/, 'must be a duration like 30s or 1m30s');

const webhook = fields(
  {
    authorizedTTL: duration,
    unauthorizedTTL: duration,
    timeout: duration,
    subjectAccessReviewVersion: oneOf('v1', 'v1beta1'),
    failurePolicy: oneOf('NoOpinion', 'Deny'),
    connectionInfo: fields({ type: oneOf('KubeConfigFile') }, { kubeConfigFile: text() }),
  },
  {
    cacheAuthorizedRequests: truth(),
    cacheUnauthorizedRequests: truth(),
    matchConditionSubjectAccessReviewVersion: oneOf('v1'),
    matchConditions: list(fields({ expression: filledText() }, {})),
  },
);

const name = textLike(
  /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  'must be a name in lower case, as of a host',
);

/** The modes of authorization in their order; webhooks may occur several times. */
export const authorizationConfiguration = versioned(
  {
    authorizers: list(
      fields({ type: oneOf('AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'), name }, { webhook }),
      1,
    ),
  },
  {},
);
